"""The JSON API of the annotation room, one resource a file. Layer 5, as views are."""
