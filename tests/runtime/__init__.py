"""Tests of the runtime: types, ops, graphs, their text and their executors."""
