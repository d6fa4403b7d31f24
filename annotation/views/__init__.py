"""Pages of the annotation room, one page a file. Views are thin: permission, form, one
action or query, render."""
