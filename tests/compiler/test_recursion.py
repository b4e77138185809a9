"""Converted functions recurse at least half as deep as the plain ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHAPES = {
    "one_branch": """
def down(n):
    if n:
        return 1 + down(n - 1)
    return 0
""",
    "an_expression": """
def down(n):
    return 1 + down(n - 1) if n else 0
""",
    "a_loop": """
def down(n):
    total = 1
    for _ in range(1):
        total += down(n - 1)
    return total
""",
    "branches_in_a_loop": """
def down(n):
    total = 0
    while not total:
        if n:
            if n > -5:
                total += 1 + down(n - 1)
            else:
                total = 5
        else:
            total += 1
    return total
""",
}

MEASURE = """
import autograph as ag

def deepest(f):
    reached = 0
    def note(n):
        nonlocal reached
        reached += 1
        return n
    space = {"down": None}
    space["down"] = lambda n: f(note(n))
    f.__globals__["down"] = space["down"]
    try:
        f(10**6)
    except RecursionError:
        return reached

original = down
plain = deepest(original)
print(plain, deepest(ag.convert(original)))
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_depth(tmp_path: Path, shape: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(SHAPES[shape] + MEASURE)
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, str(program)], cwd=root, capture_output=True, text=True,
                          check=True, env={"PYTHONPATH": str(root)})
    plain, converted = map(int, done.stdout.split())
    assert converted >= plain / 2 > 100, done.stdout
