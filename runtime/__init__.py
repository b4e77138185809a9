"""The runtime: symbolic arrays, graphs, and what runs them; it knows nothing of the compiler."""
