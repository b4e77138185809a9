"""Tests of the optimiser, pass by pass."""
