"""The parts of a call that a trace depends on: binding, cache keys, guards, specs, types."""
