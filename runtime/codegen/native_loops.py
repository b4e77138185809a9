"""Native loops: a call of the loop's kernel, and the loop itself where the kernel cannot run it."""

from __future__ import annotations

from collections.abc import Container

from autograph.runtime.codegen.on_lists import OnLists
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.lower.in_place import Plan
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.kinds import NotNative
from autograph.runtime.native.outlining import outlined


class NativeLoops(OnLists):
    """Writes loops that have a native form.

    is_native  True if loops shall be compiled.
    decisions  the location of loops, and why they have no native form; empty if they have.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.is_native = False
        self.decisions: list[tuple[str, str]] = []

    def native_loops(self, graph: Graph, others: Container[Equation]
                     ) -> dict[Equation, NativeLoop]:
        """Returns what has a native form worth its call, by the last equations; without others.

        What is inside another loop is not entered in the decisions if that loop has a form.
        """
        if not self.is_native or self.checked is not None or self.lists is not None:
            return {}
        found = outlined(graph, self.plan, self.uses, others, self.decide)
        return {native.equations[-1]: native for native in found}

    def decide(self, e: Equation, error: NotNative | None) -> None:
        where = e.location if error is None else error.location or e.location
        self.decisions.append((str(where), "" if error is None else error.reason))

    def native_loop(self, native: NativeLoop) -> None:
        """Writes `native = kernel(x, y)`, and the equations for `native is None`."""
        self.flush()
        location = native.equations[0].location
        inner = native
        if native.elements is not None:
            made, inner = native.elements
            for x, elements in made.arrays.items():
                taken = "".join(f"{self.name_of(k)}, " for k in elements)
                self.line(f"{taken}= {self.name_of(x)}.tolist()", location)
        kernel = self.constant(Kernel(inner), "kernel")
        found = self.fresh("native", False)
        given = ", ".join(self.operand(v) for v in inner.inputs)
        self.flush()
        self.line(f"{found} = {kernel}({given})", location)
        self.line(f"if {found} is None:  # as NumPy does it", location)
        self.depth += 1
        self.is_native = False
        self.block(native.graph)
        self.flush()
        self.is_native = True
        self.depth -= 1
        names = [self.names[out] for out in native.outputs]
        targets = [f"{n}[...]" if n in self.arguments else "_" if n in self.unread else n
                   for n in names]
        if targets:
            self.line("else:", location)
            self.depth += 1
            if native.elements is None:
                self.line(f"{', '.join(targets)}{',' * (len(targets) == 1)} = {found}", location)
            else:
                self.of_elements(native, targets, found)
            self.depth -= 1

    def of_elements(self, native: NativeLoop, targets: list[str], found: str) -> None:
        """Writes the results of a loop over elements: a number tells which array from outside a
        result is."""
        assert native.elements is not None
        made, inner = native.elements
        (e,) = native.equations
        copied = {o for k, o in enumerate(e.outputs) if (e, k) in self.plan.copied}
        names = {v: self.fresh(v.hint) for v in inner.outputs}
        self.line(f"{''.join(f'{n}, ' for n in names.values())}= {found}", e.location)
        for out, target in zip(native.outputs, targets, strict=True):
            now = made.results[out]
            if type(now) is not tuple:
                self.put_back(target, names[now], out.type, is_finite=True)
                continue
            *texts, tag = (names[x] for x in now)
            known = "".join(f"{self.name_of(x)} if {tag} == {k} else "
                            for k, x in enumerate(made.arrays, 1)
                            if x in made.aliases[out] and out not in copied)
            self.line(f"{target} = {known}np.array([{', '.join(texts)}])")
