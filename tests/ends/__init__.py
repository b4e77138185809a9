"""Tests of the two ends of the compiler: finding source and loading it, printing, the commands."""
