"""Documents are read in a process that may die: what is called on a person's file has bounds on time and memory."""
