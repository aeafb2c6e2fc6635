"""The pieces of the window, one a file."""
