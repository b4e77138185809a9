"""From the tree to text."""
