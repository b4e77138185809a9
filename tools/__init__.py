"""Command-line tools: `autograph to-code` and its kin."""
