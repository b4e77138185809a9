"""Tests of the analyses, the passes and the pipeline."""
