"""Tests of `autograph/tools/`."""
