"""Tests of `autograph/syntax/`."""
