"""Tests of `autograph/checking/`."""
