"""The command-line tools: their contract, reports, checks and pages."""
