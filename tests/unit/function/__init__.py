"""Tests of `autograph/function/`."""
