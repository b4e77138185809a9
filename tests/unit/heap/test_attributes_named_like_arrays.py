"""Objects of the run whose attributes have the names of an array's: each way to them finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.outcome import run
from tests.support.program_files import program

HEAD = """
import functools
import operator


class Plain:
    def __init__(self, v):
        self.{n} = v


class Slotted:
    __slots__ = ("{n}",)

    def __init__(self, v):
        self.{n} = v


class Base:
    def {n}(self, k=1.0):
        return self.v * k


class Methods(Base):
    def __init__(self, v):
        self.v = v

    def {n}(self, k=1.0):
        self.v += 1
        return super().{n}(k) + 1


class Computed:
    def __init__(self, v):
        self.v = v

    @property
    def {n}(self):
        return lambda k=1.0: self.v * k


def f(x):
    all = [{cls}(x[0])]
    i = 1
    while i < x[2]:
        all.append({cls}(x[i]))
        i += 1
    a, b = all[-1], all[-2]
    p = a if x[1] > 2 else b
    q = a if x[1] > 2 else {cls}(9.0)
    r = a if isinstance(a, {cls}) else {cls}(a)
    {way}
    return found, [u.{field} for u in all]
"""

READ = ["found = getattr({o}, '{n}')", "found = getattr({o}, '{n}', 7.0)", "found = {o}.{n}",
        "found = operator.attrgetter('{n}')({o})", "setattr({o}, '{n}', 5.0); found = {o}.{n}",
        "{o}.{n} += 2; found = {o}.{n}", "found = hasattr({o}, '{n}')",
        "found = max(all, key=operator.attrgetter('{n}')).{n}",
        "found = list(map(operator.attrgetter('{n}'), all))"]
CALLED = ["found = {o}.{n}(2.0)", "found = getattr({o}, '{n}')(2.0)",
          "m = {o}.{n}; found = m() + m(2.0)", "found = operator.methodcaller('{n}')({o})",
          "found = operator.methodcaller('{n}', 2.0)({o})",
          "found = operator.attrgetter('{n}')({o})(3.0)",
          "found = functools.partial({o}.{n}, 3.0)()",
          "found = sorted(all, key=operator.methodcaller('{n}'))[0].v",
          "found = list(map(operator.methodcaller('{n}'), all))"]
NAMES = ["T", "data", "size", "real", "shape", "sum", "copy", "item", "read", "bound",
         "append", "own"]


def programs() -> list[str]:
    """Returns every way of every class to an object, one of two, or one that may be new."""
    made = []
    for classes, ways in ((("Plain", "Slotted"), READ), (("Methods", "Computed"), CALLED)):
        for cls in classes:
            for n in NAMES:
                field = n if ways is READ else "v"
                made += [HEAD.format(n=n, cls=cls, field=field, way=way.format(n=n, o=o))
                         for way in ways for o in "apqr" if o == "a" or "{o}" in way]
    return made


PROGRAMS = programs()


@pytest.mark.parametrize("number", range(0, len(PROGRAMS), 4))
@pytest.mark.parametrize("how", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_each_way_finds_the_objects_own(number: int, how: dict[str, Any], tmp_path: Path) -> None:
    for text in PROGRAMS[number:number + 4]:
        f = program(tmp_path, text).f
        g = ag.function(f, **how)
        for second in (3.0, 1.0):
            x = np.array([2.0, second, 4.0, 5.0])
            assert run(g, (x,)).describe() == run(f, (x,)).describe(), text
