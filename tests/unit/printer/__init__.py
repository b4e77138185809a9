"""Tests of `autograph/printer/`."""
