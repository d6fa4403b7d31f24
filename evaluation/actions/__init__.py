"""Every state change of runs, predictions and entries is one named function here."""
