"""Equations without regions as lines: in new memory, in an operand's, in arrays that are there."""

from __future__ import annotations

from collections import Counter

from autograph.runtime.execute import unboxed
from autograph.runtime.execute.direct import ufunc_name
from autograph.runtime.execute.expressions import (
    INDENT,
    MAX_INLINE,
    Expressions,
    is_formula,
)
from autograph.runtime.execute.reuse import AUGMENTED, COMMUTATIVE, Reuse, Scratch
from autograph.runtime.execute.tiles import in_tiles
from autograph.runtime.graph import Equation, Graph, Location, Value
from autograph.runtime.optimize.gather import is_cut, rows_of
from autograph.runtime.optimize.inplace import Plan


class Assignments(Expressions):
    """Writes an assignment for each equation, and functions of rows for runs of them.

    checked    on Python's numbers: the ints to check.
    filled     the values for whose array there is memory already, under their name.
    functions  (lines, places) of what stands after the main function.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name)
        self.plan = plan
        self.reuse: Reuse | None = None
        self.checked: set[Value] | None = None
        self.filled: frozenset[Value] = frozenset()
        self.functions: list[tuple[list[str], dict[int, Location]]] = []

    def tiles(self, run: list[Equation]) -> None:
        """`v = in_tiles(rows, …)`, and after this function `rows`, which has the equations."""
        inside = Counter(v for e in run for v in e.inputs)
        made = dict.fromkeys(e.outputs[0] for e in run)
        results = [v for v in made if self.uses[v] > inside[v]]
        rank, rows = rows_of(run[0])
        given = [v for v in inside if v not in made]
        given.sort(key=lambda v: not is_cut(v, rank, rows))  # those that are cut come first
        count = sum(is_cut(v, rank, rows) for v in given)
        texts = [self.nest(v) for v in given]
        self.flush()
        name = self.fresh("rows", False)
        outer = self.lines, self.locations, self.depth, self.names, self.reuse, self.filled
        self.lines, self.locations, self.depth, self.names = [], {}, 1, dict(self.names)
        self.names.update((v, t if t.isidentifier() else self.fresh(v.hint))
                          for v, t in zip(given, texts, strict=True))
        self.names.update((v, self.fresh(v.hint)) for v in results)
        scratch = self.rows(name, Graph(name, tuple(given), run, tuple(results)))
        self.lines, self.locations, self.depth, self.names, self.reuse, self.filled = outer
        targets = ", ".join(map(self.name_of, results))
        into = self.constant(in_tiles, "in_tiles")
        kinds = [self.kinds(results), self.kinds(scratch)]
        self.line(f"{targets} = {into}({', '.join([name, str(count), *kinds, *texts])})",
                  run[0].location)

    def kinds(self, values: list[Value]) -> str:
        """`[(f64, 3), …]`: dtype and row shape of each."""
        rows = [(v.type.dtype, v.type.shape[1:]) for v in values]  # type: ignore[union-attr,index]
        return f"[{', '.join(self.nest((dtype, *shape)) for dtype, shape in rows)}]"

    def rows(self, name: str, graph: Graph) -> list[Value]:
        """A function of arrays, and of arrays for results and to work in, all cut into tiles.

        Gives values of the kinds of those to work in.
        """
        results = [self.names[v] for v in graph.outputs]
        self.reuse, self.filled = Reuse(graph, self.plan), frozenset(graph.outputs)
        space = Scratch(self.reuse)
        for equation in graph.equations:
            out = equation.outputs[0]
            if not self.into_operand(equation):
                if out not in self.filled and equation.op.ufunc and ufunc_name(equation):
                    self.names[out] = space.take(out) or space.add(out, self.fresh("work", False))
                    self.filled |= {out}
                self.assign(equation)
            space.used(equation, self.names)
        self.line(f"return {', '.join(results)}")
        inputs = [self.names[v] for v in graph.inputs]
        optional = [f"{r}=None" for r in (*results, *space.slots)]
        head = f"def {name}({', '.join([*inputs, *optional])}):"
        # `line` counts two lines for the main function's own head; here it is one
        self.functions.append(([head, *self.lines], {n - 1: p for n, p in self.locations.items()}))
        return list(space.slots.values())

    def assign(self, e: Equation) -> None:
        if self.into_operand(e):
            return
        text = self.into_filled(e) or self.expression(e)
        used = [o for o in e.outputs if self.uses[o]]
        if not used:
            self.line(text, e.location)
            return
        if self.may_wait(e) and len(text) <= MAX_INLINE:
            self.wait(e.outputs[0], text, is_formula(e) and e.op.name != "getitem", e.location)
            return
        self.line(f"{', '.join(self.name_of(o) for o in e.outputs)} = {text}", e.location)
        if self.must_check(e):
            name = self.name_of(e.outputs[0])
            self.line(f"if not {-2**63} <= {name} <= {2**63 - 1}:", e.location)
            self.line(INDENT + "raise OverflowError")

    def must_check(self, e: Equation) -> bool:
        """Whether an int64 is computed here, on Python's numbers, whose exact number matters."""
        return self.checked is not None and e.outputs[0] in self.checked and unboxed.guards(e)

    def may_wait(self, e: Equation) -> bool:
        if not e.outputs:
            return False
        # A claimed name holds an older value, which expressions that wait may still read.
        claimed = e.outputs[0] in self.names
        return super().may_wait(e) and not claimed and not self.must_check(e)

    def into_operand(self, e: Equation) -> bool:
        """`v += x` or `np.exp(v, v)`, if v is of no use afterwards and has the result's type."""
        target = self.reuse.operand(e) if self.reuse is not None else None
        if target is None or target in self.pending or e.outputs[0] in self.names:
            return False
        ufunc = ufunc_name(e)
        if ufunc is None:
            return False
        name = self.names[e.outputs[0]] = self.name_of(target)
        first, *others = e.args
        sign = AUGMENTED.get(e.op.name)
        if sign and first is target and len(others) == 1:
            self.line(f"{name} {sign}= {self.argument(e, others[0])}", e.location)
        elif e.op.name in COMMUTATIVE and others[0] is target:
            self.line(f"{name} {sign}= {self.argument(e, first)}", e.location)
        else:
            args = e.args[:1] if ufunc == "np.square" else e.args
            texts = [self.argument(e, a) for a in args]
            self.line(f"{ufunc}({', '.join([*texts, name])})", e.location)
        return True

    def into_filled(self, e: Equation) -> str:
        """The ufunc's call that puts the result into the array that is there for it."""
        ufunc = ufunc_name(e) if e.op.ufunc and e.outputs[0] in self.filled else None
        if ufunc is None:
            return ""
        count = 1 if ufunc == "np.square" else len(e.args)
        texts = [self.argument(e, a) for a in e.args[:count]]
        return f"{ufunc}({', '.join([*texts, self.names[e.outputs[0]]])})"
