"""Reads for pages, commands and figures; nothing here writes."""
