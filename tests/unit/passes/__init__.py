"""Tests of `autograph/passes/`."""
