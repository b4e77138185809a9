"""Orders by tuples of what only the run knows: `max(d, key=lambda k: (d[k], k))` and its like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run
from tests.support.program_files import program

FORMS = {
    "counts": "c = Counter(int(v) for v in x); "
        "return sorted(c.items(), key=lambda p: (-p[1], p[0]))",
    "most": "w = [f'w{int(v)}' for v in x]; c = Counter(w); return max(w, key=lambda k: (c[k], k))",
    "set": "w = {int(v) for v in x}; return min(w, key=lambda k: (k % 2, -k))",
    "reversed": "l = [(int(v), -i) for i, v in enumerate(x)]; return min(l, key=lambda t: t[::-1])",
    "positions": "l = list(map(float, x)); return min(range(5), key=lambda i: (l[i] % 2, l[i]))",
    "lists": "l = [[float(v), i] for i, v in enumerate(x)]; "
        "return max(l, key=lambda p: [p[1] % 2, p])",
    "two": "a, b = (x[0], x[1]), (x[1], x[0]); "
        "return max(a, b), min(a, b, key=lambda t: (t[1], 1))",
    "reduce": "l = [(int(v) % 3, i) for i, v in enumerate(x)]; "
        "return reduce(max, l), reduce(min, l)",
    "nested": "return max(x, key=lambda v: ((v % 2, 1), -v)), min(x, key=lambda v: ((1, v), v))",
    "of run": "l = [v for v in x if v > 1]; return max(l, key=lambda v: (v % 2, -v))",
    "default": "l = [v for v in x if v > 9]; return max(l, key=lambda v: (v, v), default=(0, 0))",
}


@pytest.mark.parametrize("how", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_orders_are_pythons(form: str, how: dict[str, Any], tmp_path: Path) -> None:
    f = program(tmp_path, f"""
        from collections import Counter
        from functools import reduce

        def f(x):
            {FORMS[form]}
        """).f
    g = ag.function(f, **how)
    for x in ([3.0, 1.0, 4.0, 1.0, 5.0], [2.0, 2.0, 2.0, 7.0, 1.0]):
        assert run(g, (np.array(x),)).describe() == run(f, (np.array(x),)).describe()
