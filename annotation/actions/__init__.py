"""Every state change of the benchmark is one named function here: keyword arguments,
`by=user`, atomic, its revision written in the same transaction."""
