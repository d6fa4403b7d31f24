"""Pages of the evaluation room."""
