"""Native loops: a call of the loop's kernel, and the loop itself where the kernel cannot run it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager

from autograph.runtime.ir.expressions import (
    Attribute,
    Call,
    Choice,
    Expression,
    Literal,
    Name,
    Operator,
)
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.statements import Do, Let, Target
from autograph.runtime.ir.statements import Kernel as KernelCall
from autograph.runtime.lower.loops import new_array
from autograph.runtime.lower.lowering import Lowering
from autograph.runtime.lower.plan import Plan
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.kinds import Array, NotNative
from autograph.runtime.native.outlining import outlined


class NativeLoops(Lowering):
    """Makes loops that have a native form.

    is_native  False in what runs instead of a kernel.
    fast       results need not have NumPy's bits.
    """

    fast = False

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.is_native = True

    def native_loops(self, graph: Graph, others: Container[Equation]
                     ) -> dict[Equation, NativeLoop]:
        """Returns what has a native form worth its call, by the equation of it that stands last in
        the graph: one made where it is used first stands before; without others.

        What is inside another loop is not entered in the decisions if that loop has a form.
        """
        if not self.is_native or self.checked is not None or self.lists is not None:
            return {}
        found = outlined(graph, self.plan, self.uses, others, self.decide)
        position = {e: k for k, e in enumerate(graph.equations)}
        return {max(native.equations, key=position.__getitem__): native for native in found}

    def decide(self, e: Equation, error: NotNative | None) -> None:
        where = e.location if error is None else error.location or e.location
        self.decisions.append((str(where), "" if error is None else error.reason))

    def native_loop(self, native: NativeLoop) -> None:
        """Makes `native = kernel(x, y)`, and the equations for `native is None`."""
        self.flush()
        location, inner = native.equations[0].location, native
        if native.elements is not None:
            made, inner = native.elements
            self.take_elements(made, location)
        found = Name(self.fresh("native", False))
        inner.fast = self.fast
        kernel = self.constant(Kernel(inner), "kernel")
        given = tuple(map(self.nest, inner.inputs))
        with self.kernel(found, kernel, given, native.graph, location):
            names = [self.names[out] for out in native.outputs]
            targets = tuple(
                self.nothing() if n in self.unread or self.is_there(out, native)
                else self.assignable(n) for n, out in zip(names, native.outputs, strict=True))
            if all(self.is_there(out, native) for out in native.outputs):
                pass
            elif native.elements is None:
                self.add(Let(targets, found, unpacked=True), location)
            else:
                self.of_elements(native, targets, found)

    def is_there(self, out: Value, native: NativeLoop) -> bool:
        """Returns True if a result of a kernel is the array that its variable has before."""
        kind = native.kinds.get(out)
        return isinstance(kind, Array) and kind.memory in native.in_place and (
            self.names.get(kind.memory) == self.names[out])

    @contextmanager
    def kernel(self, found: Name, kernel: Expression, given: tuple[Expression, ...], graph: Graph,
               location: Location | None) -> Iterator[None]:
        """Makes the call of a kernel, and what runs in its place; what is added inside runs where
        it gave the results, which have no value before: no pending write is one of them yet."""
        call, before = Call(Attribute(kernel, "run"), given), self.frame_state
        statement = KernelCall(found, call)
        self.add(statement, location)
        self.is_native = False
        with self.inside(statement.otherwise):
            self.add(Do(Call(Attribute(kernel, "stepped_back"))), location)
            self.block(graph)
            self.flush()
        self.is_native = True
        after, self.frame_state = self.frame_state, before
        with self.inside(statement.results):
            yield
        self.frame_state = after

    def of_elements(self, native: NativeLoop, targets: tuple[Target, ...], found: Name) -> None:
        """Makes the results of a loop over elements: a number tells which array from outside a
        result is."""
        assert native.elements is not None
        made, inner = native.elements
        (e,) = native.equations
        copied = {o for k, o in enumerate(e.outputs) if (e, k) in self.plan.copied}
        names = {v: Name(self.fresh(v.hint), v.type) for v in inner.outputs}
        self.add(Let(tuple(names.values()), found, unpacked=True), e.location)
        for out, target in zip(native.outputs, targets, strict=True):
            now = made.results[out]
            if type(now) is not tuple:
                self.let(target, self.boxed(names[now], out.type, is_finite=True))
                continue
            *elements, tag = (names[x] for x in now)
            value = new_array(elements)
            for k, x in reversed(list(enumerate(made.arrays, 1))):
                if x in made.aliases[out] and out not in copied:
                    test = Operator("{0} == {1}", (tag, Literal(k)))
                    value = Choice(self.leaf(x), test, value)
            self.let(target, value)
