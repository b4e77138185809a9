"""Tests of what `ag.function` gives: signatures, state, effects, loops as functions, graphs."""
