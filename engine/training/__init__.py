"""Training of retaining heads: text, questions, the frozen backbone, the command. It alone reads weights in torch."""
