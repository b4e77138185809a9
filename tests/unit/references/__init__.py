"""Tests of graphs by value."""
