"""An op with a wrong kernel, for tests of what finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograph.runtime.ops import OPS


@contextmanager
def broken_kernel(name: str, kernel: Callable[..., Any]) -> Iterator[None]:
    """Gives an op another kernel for as long as the block runs."""
    op = OPS[name]
    right = op.kernel
    object.__setattr__(op, "kernel", kernel)
    try:
        yield
    finally:
        object.__setattr__(op, "kernel", right)
