"""Branches, loops, recursion: their regions are traced, and what comes out is joined."""
