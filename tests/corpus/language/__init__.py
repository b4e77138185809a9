"""Programs by construct of the language."""
