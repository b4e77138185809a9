"""Objects and streams that only the run knows: their attributes, methods and operators are those of
their classes, whatever the library calls its own."""

import csv
import dataclasses
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Token:
    """Its attributes are named like what the library calls on symbolic values."""

    def __init__(self, kind, value):
        self.type, self.value, self.bound = kind, value, 3

    def read(self):
        return self.value * 2

    def write(self, value):
        self.value = value


def chosen_tokens(x):
    made = [Token("a", 5.0), Token("b", 9.0), Token("c", 2.0)]
    found = [t for t in made if t.value > x[0]]
    last = found[-1]
    last.write(x[1])
    return [t.type for t in found], last.type == "b", last.read(), last.bound


@dataclasses.dataclass
class Count:
    type: str
    read: float = 0.0

    def __post_init__(self):
        if self.read < 0:
            self.read = 0.0


def counted(x):
    found = [Count("big" if v > 2 else "small", v) for v in x]
    kept = [c for c in found if c.read > 0]
    return kept[0].type, sum(c.read for c in kept)


def streams_by_number(x):
    streams = {int(v): io.StringIO("ab" * int(v + 2)) for v in x}
    return streams[int(x[0])].read()


def stream_of_text(x):
    stream = io.StringIO("".join([str(v) for v in x if v > 1]))
    return stream.read(2), stream.getvalue(), io.BytesIO(x.tobytes()).read(8)


def lazy_rows(x):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(v * 2 for v in x)
    writer.writerows([v, str(v)] for v in x)
    out.writelines(str(v) for v in x)
    out.writelines(map(str, x))
    return out.getvalue()


class Pile:
    def __init__(self, items):
        self.items = items

    def __iadd__(self, item):
        self.items.append(item)
        return self

    def __imul__(self, n):
        return Pile(self.items * n)


def changed_in_place(x):
    a, b = Pile([1.0]), Pile([])
    c = a if x[0] > 0 else b
    d = c
    c += x[1]
    d *= 2
    return a.items, b.items, c is a, d.items, d is c


class Level:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return self.value > 2


def truth_of_numpy(x):
    return 1 if Level(x[0]) else 2


PROGRAMS = [chosen_tokens, counted, streams_by_number, stream_of_text, lazy_rows, changed_in_place,
            truth_of_numpy]


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(program: Callable[..., Any], options: dict[str, Any]) -> None:
    f = ag.function(program, **options)
    for x in (np.array([3.0, 1.0, 2.0, 5.0]), np.array([-1.0, 0.0, 2.0, 2.0])):
        assert outcome(f, x) == outcome(program, x)


def outcome(f: Callable[..., Any], x: Any) -> str:
    try:
        return repr(f(x))
    except TypeError as error:
        return str(error)
