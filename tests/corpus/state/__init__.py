"""Programs that change what outlives a call: containers, objects, attributes, closures."""
