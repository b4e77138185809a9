"""Makes every loop machine code in tests, however short it is."""

import pytest

from autograph.runtime.native import work
from autograph.staging import loops


def compile_short_loops(monkeypatch: pytest.MonkeyPatch, unroll: bool = False) -> None:
    """Loops are not thought to be too short for machine code; `unroll`: they may be unrolled."""
    monkeypatch.setattr(work, "PER_CALL", 0)
    if not unroll:
        monkeypatch.setattr(loops, "UNROLL", 0)
