"""Which values are certainly lists: an item that is read from one is no view of it.

Of a value that may be an array, as most dynamic ones, an item may be a view; then nothing may be
stored in place while the item is in use. In a list an item is an object of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograph.runtime.ir.graph import Atom, Graph, Nest, Value, atom_type
from autograph.runtime.ir.regions import as_branch, as_loop
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.python import LIST_OF, LIST_POP, PICKED
from autograph.runtime.ops.python_objects import CONSTRUCT

LIST = PyType(list)


def known_lists(graphs: Iterable[Graph]) -> frozenset[Value]:
    """Returns the values that are certainly lists. A value that depends on others is one if all of
    them are; what loops carry may depend on itself."""
    needs = {v: atoms for graph in graphs for v, atoms in _needs(graph)}
    users: dict[Value, list[Value]] = defaultdict(list)
    fails: list[Value] = []
    for v, atoms in needs.items():
        for x in atoms:
            if isinstance(x, Value) and x in needs:
                users[x].append(v)
            elif type(x) is not list and not (isinstance(x, Value) and x.type == LIST):
                fails.append(v)
    failed = set(fails)
    while fails:
        new = [v for v in users[fails.pop()] if v not in failed]
        failed.update(new)
        fails += new
    return frozenset(needs.keys() - failed)


def is_number(index: Nest) -> bool:
    """Returns True for an index that is certainly a number: of a list, it gives one item."""
    t = None if isinstance(index, (tuple, slice)) else atom_type(index)
    return t in (PyType(int), PyType(bool)) or (
        isinstance(t, ArrayType) and t.shape == () and t.dtype is not None and t.dtype.kind in "iu")


def _needs(graph: Graph) -> Iterator[tuple[Value, tuple[Atom, ...]]]:
    """Yields values that may be lists, each with all that have to be lists for it."""
    for e in graph.walk():
        if (loop := as_loop(e)) is not None:
            for k, (value, start, end) in enumerate(zip(
                    loop.carried, loop.initial, loop.body.outputs, strict=True)):
                yield value, (start, end)
                yield loop.results[k], (value,)
                if loop.test is not None:
                    yield loop.test.inputs[k], (value,)
        elif (branch := as_branch(e)) is not None:
            yield from zip(branch.results, branch.given(), strict=True)
        elif e.op in (LIST_OF, PICKED) or e.op.kernel is list or (
                e.op is CONSTRUCT and e.args[0] is list):
            yield e.outputs[0], ()
        elif e.op is LIST_POP:
            yield e.outputs[1], ()
        elif e.op is SETITEM or (e.op is GETITEM and type(e.args[1]) is slice):
            yield e.outputs[0], (e.args[0],)
