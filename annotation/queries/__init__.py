"""What pages and other rooms read; nothing here writes."""
