"""Facts about a function, found without running it: scopes, control flow, live names, jumps."""
