"""Text in pictures: which languages can be recognised, and the recognition."""
