"""The cache on disk: what is expensive to make, for later processes."""
