"""What is known about a function without running it: names, paths, jumps."""
