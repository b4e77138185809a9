"""What one test of machine code has compiled beside its calls does not reach into the next."""

from importlib.util import find_spec

import pytest

from tests.support.native import finish_compiling


@pytest.fixture(autouse=True)
def nothing_else_compiles() -> None:
    """No thread that an earlier test began is in the compiler, takes time, or holds objects."""
    if find_spec("llvmlite"):
        finish_compiling()
