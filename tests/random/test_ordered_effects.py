"""Values of operations with effects keep the order of the program, whatever is written inline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.ordered_effects import source
from tests.support.outcome import run
from tests.support.program_files import program


@pytest.mark.parametrize("seed", range(0, 1000, 4))
@pytest.mark.parametrize("how", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_programs(seed: int, how: dict[str, Any], tmp_path: Path) -> None:
    for text in map(source, range(seed, seed + 4)):
        f = program(tmp_path, text).f
        g = ag.function(f, **how)
        for n in (12, 15):
            given = np.arange(6.0) + n, np.int64(n)
            assert run(g, given).describe() == run(f, given).describe(), text
