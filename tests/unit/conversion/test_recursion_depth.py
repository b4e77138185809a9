"""Converted functions recurse at least half as deep as the plain ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SHAPES = {
    "one_branch": """
def down(n):
    seen.append(n)
    if n:
        return 1 + down(n - 1)
    return 0
""",
    "an_expression": """
def down(n):
    seen.append(n)
    return 1 + down(n - 1) if n else 0
""",
    "a_loop": """
def down(n):
    seen.append(n)
    total = 1
    for _ in range(1):
        total += down(n - 1)
    return total
""",
    "branches_in_a_loop": """
def down(n):
    seen.append(n)
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
    "and_or": """
def down(n):
    seen.append(n)
    return n > 0 and (n < 0 or down(n - 1))
""",
    "in_a_handler": """
def down(n):
    seen.append(n)
    try:
        if n:
            raise ValueError
    except ValueError:
        return down(n - 1)
""",
    "a_method": """
class Node:
    def walk(self, n):
        seen.append(n)
        if n:
            return 1 + self.walk(n - 1)
        return 0

def down(n):
    return Node().walk(n)
""",
    "a_method_of_another_object": """
class Node:
    def __init__(self, n):
        self.n = n

    def walk(self):
        seen.append(self.n)
        total = 0
        for child in [Node(self.n - 1)]:
            if child.n > 0:
                total += child.walk()
        return total

def down(n):
    return Node(n).walk()
""",
    "super_and_class_methods": """
class Base:
    @classmethod
    def walk(cls, n):
        seen.append(n)
        return cls.walk(n - 1) if n else 0

class Node(Base):
    @classmethod
    def walk(cls, n):
        if n:
            return super().walk(n)
        return 0

def down(n):
    return Node.walk(n)
""",
    "an_operator": """
class Number:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        seen.append(self.n)
        if self.n:
            return 1 + down(self.n - 1)
        return 0

def down(n):
    return Number(n) + 1
""",
    "two_functions": """
def down(n):
    seen.append(n)
    if n:
        return odd(n - 1)
    return True

def odd(n):
    return down(n - 1) if n else False
""",
    "three_functions_and_a_loop": """
def down(n):
    seen.append(n)
    while n:
        return second(n - 1)

def second(n):
    return [third(i) for i in (n,)]

def third(n):
    return (lambda m: down(m))(n - 1)
""",
    "an_inner_function": """
def down(n):
    def inner(n):
        seen.append(n)
        if n:
            return 1 + inner(n - 1)
        return 0
    return inner(n)
""",
}

MEASURE = """
import importlib
import json
import sys

import autograph as ag

def deepest(module, convert):
    module.seen.clear()
    try:
        convert(module.down)(10**6)
    except RecursionError:
        return len(module.seen)

modules = [importlib.import_module(name) for name in sys.argv[1:]]
plain = [deepest(module, lambda f: f) for module in modules]  # the first conversion makes room
print(json.dumps([*zip(sys.argv[1:], plain, [deepest(m, ag.convert) for m in modules])]))
"""


@pytest.fixture(scope="module")
def depths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    """How deep each shape goes, plainly and converted, in a process of its own."""
    folder = tmp_path_factory.mktemp("recursion")
    for name, source in SHAPES.items():
        (folder / f"{name}.py").write_text(f"seen = []\n{source}")
    (folder / "measure.py").write_text(MEASURE)
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, str(folder / "measure.py"), *SHAPES], cwd=root,
                          capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root)})
    return {name: (plain, converted) for name, plain, converted in json.loads(done.stdout)}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_depth(depths: dict[str, tuple[int, int]], shape: str) -> None:
    plain, converted = depths[shape]
    assert converted >= plain / 2 >= 100
