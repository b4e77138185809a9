"""Tests that keep the house in order: layers, sizes, packaging, hygiene."""
