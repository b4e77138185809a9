"""Benchmarks: ours against eager NumPy, and against peers where they are installed."""

import os

# One thread each: otherwise a busy machine's scheduler is what is measured.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
