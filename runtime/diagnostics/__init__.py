"""Run-time errors in the user's terms: notes, line tables, tracebacks."""
