"""What is converted, loaded and remembered."""
