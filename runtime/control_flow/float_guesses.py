"""Guesses which of a loop's floats become NumPy's, so that its body is traced once.

`s = 0.0`, then `s += x[i]`: before the first iteration it is Python's float, and after it NumPy's.
Most floats that a loop rebinds go that way. So each begins as one of either class, and when the
body is traced, its graph tells whether any but Python's reach its end.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autograph.runtime.ir.graph import Atom, Graph, Value, atom_type, equations_in
from autograph.runtime.ir.regions import as_branch, as_loop
from autograph.runtime.ir.types import EITHER, PyType

FLOAT = PyType(float)


def stay_pythons(ends: dict[int, Atom], inputs: Collection[Value], body: Graph) -> list[int]:
    """Returns the numbers of the variables that Python's floats are enough for.

    ends: by number: what the body leaves in a variable.
    inputs: what it was given for them, floats of either class by a guess.
    """
    sources = _sources(body) if any(atom_type(x) == EITHER for x in ends.values()) else {}
    return [k for k, end in ends.items() if not _may_be_numpys(end, sources, set(inputs))]


def _sources(body: Graph) -> dict[Value, Sequence[Atom]]:
    """Returns for each value in a body the atoms that decide what class it has."""
    found: dict[Value, Sequence[Atom]] = {}
    for e in equations_in(body):
        if not e.regions:
            found.update(dict.fromkeys(e.outputs, e.inputs))
        elif branch := as_branch(e):
            found.update(zip(branch.results, branch.given(), strict=True))
        elif loop := as_loop(e):
            pairs = list(zip(loop.initial, loop.body.outputs, strict=True))
            found.update(zip(loop.results, pairs, strict=True))
            found.update(zip(loop.carried, pairs, strict=True))
        else:
            found.update(dict.fromkeys(e.outputs, e.inputs))
    return found


def _may_be_numpys(end: Atom, sources: dict[Value, Sequence[Atom]], seen: set[Atom]) -> bool:
    """Returns True if something that is no Python float reaches an atom. `seen` gets the values
    that were looked at; the guessed inputs are among them."""
    pending = [end]
    while pending:
        x = pending.pop()
        if atom_type(x) != EITHER:
            if atom_type(x) != FLOAT:
                return True
        elif x not in seen:
            seen.add(x)
            if x not in sources:
                return True  # from outside of the body
            pending += sources[x]
    return False
