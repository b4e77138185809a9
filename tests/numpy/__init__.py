"""NumPy programs of one line or a few: plain NumPy says what is right for each."""
