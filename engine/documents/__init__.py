"""Documents: from dropped files and folders to pages of text, each with what became of it."""
