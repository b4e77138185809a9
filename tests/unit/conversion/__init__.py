"""Tests of `autograph/conversion/`."""
