"""Tests of `autograph/tensorflow/`."""
