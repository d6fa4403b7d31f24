"""The shortcut audit: how much of a benchmark can be answered without its videos."""
