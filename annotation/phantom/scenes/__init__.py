"""The six scenes."""
