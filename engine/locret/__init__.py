"""Locret (arXiv 2410.01805): the method in plain torch, and nothing else of ours."""
