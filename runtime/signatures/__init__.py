"""What of a call a trace depends on: binding, cache keys, guards, specs, function types."""
