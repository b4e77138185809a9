"""Tests of `autograph/operators/`."""
