"""The passes that turn Python into simpler Python: what comes out still calls no operator."""
