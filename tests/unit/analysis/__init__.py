"""Tests of `autograph/analysis/`."""
