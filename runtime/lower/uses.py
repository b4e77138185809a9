"""How often a program uses each of its values."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from autograph.runtime.ir.graph import Value, graphs_in, regions_of
from autograph.runtime.ir.program import Program


def count_uses(program: Program) -> Counter[Value]:
    """Counts the uses of each value: by equations, regions, the result."""
    uses: Counter[Value] = Counter(a for a in program.graph.outputs if isinstance(a, Value))
    made = {v for e in program.views for v in e.outputs}
    uses.update(v for v in program.taken() if v in made)
    equations = list(program.graph.walk())
    uses.update(chain.from_iterable([e.inputs for e in equations]))
    for region in chain.from_iterable([regions_of(e) for e in equations if e.regions]):
        uses.update(a for a in region.outputs if isinstance(a, Value))
    for graph in graphs_in(program.graph)[1:]:
        uses.update(a for a in graph.outputs if isinstance(a, Value))
    return uses
