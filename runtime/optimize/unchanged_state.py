"""Unchanged state: what no iteration of a loop changes is used as it was before the loop."""

from __future__ import annotations

from autograph.runtime.ir.change_log import Record
from autograph.runtime.ir.graph import Atom, Graph, Value, atom_type
from autograph.runtime.ir.regions import Loop, as_loop
from autograph.runtime.ir.visitor import Rewriter
from autograph.runtime.optimize.uses import is_number


def free_unchanged_state(graph: Graph, record: Record) -> None:
    """Replaces numbers that a loop carries and every iteration hands on as they are.

    The derivative of `s += x[i]` by `s` is such a number: 1.0 in every iteration. The loop no
    longer carries it.
    """
    _Freer(record).visit(graph)


class _Freer(Rewriter):
    for_regions = True

    def before(self, e: object) -> None:
        loop = as_loop(e)  # type: ignore[arg-type]
        if loop is not None:
            self.free(loop)

    def free(self, loop: Loop) -> None:
        rows = zip(loop.initial, loop.carried, loop.body.outputs, loop.results, strict=True)
        gone = set()
        for k, (start, carried, end, result) in enumerate(rows):
            if end is carried and start is not carried and _stands_for(start, carried):
                self.record.note(free_unchanged_state, loop.equation, start)
                self.record.renamed[carried] = self.record.renamed[result] = start
                gone.add(k)
                if loop.test is not None:
                    self.record.renamed[loop.test.inputs[k]] = start
        loop.drop(gone)


def _stands_for(start: Atom, carried: Value) -> bool:
    """Returns True if the initial number may be used in place of the carried one."""
    return is_number(start) and (
        not isinstance(start, Value) or atom_type(start) == carried.type)
