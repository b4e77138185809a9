"""Tests of gradients."""
