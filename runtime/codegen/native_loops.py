"""Native loops: a call of the loop's kernel, and the loop itself where the kernel cannot run it."""

from __future__ import annotations

from autograph.runtime.codegen.on_lists import OnLists
from autograph.runtime.ir.graph import Equation, Graph
from autograph.runtime.ir.regions import is_loop
from autograph.runtime.lower.in_place import Plan
from autograph.runtime.native.inference import NativeLoop, native_loop
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.kinds import NotNative
from autograph.runtime.native.work import pays


class NativeLoops(OnLists):
    """Writes loops that have a native form.

    is_native  True if loops shall be compiled.
    decisions  the location of loops, and why they have no native form; empty if they have.
    """

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(name, plan)
        self.is_native = False
        self.decisions: list[tuple[str, str]] = []

    def native_loops(self, graph: Graph) -> dict[Equation, NativeLoop]:
        """Returns the loops among the equations that have a native form worth its call.

        What is inside another loop is not entered in the decisions if that loop has a form.
        """
        if not self.is_native or self.checked is not None or self.lists is not None:
            return {}
        found = {}
        for e in graph.equations:
            if is_loop(e) and pays(e):
                where, why = e.location, ""
                try:
                    found[e] = native_loop(e, self.plan, graph)
                except NotNative as error:
                    where, why = error.location or where, error.reason
                self.decisions.append((str(where), why))
        return found

    def native_loop(self, native: NativeLoop) -> None:
        """Writes `native = kernel(x, y)`, and the loop for `native is None`."""
        self.flush()
        e = native.loop.equation
        kernel = self.constant(Kernel(native), "kernel")
        found = self.fresh("native", False)
        given = ", ".join(self.operand(v) for v in native.inputs)
        self.flush()
        self.line(f"{found} = {kernel}({given})", e.location)
        self.line(f"if {found} is None:  # as NumPy does it", e.location)
        self.depth += 1
        self.is_native = False
        self.block(Graph("", (), [e], e.outputs))
        self.flush()
        self.is_native = True
        self.depth -= 1
        names = [self.names[out] for out in e.outputs]
        targets = [f"{n}[...]" if n in self.arguments else "_" if n in self.unread else n
                   for n in names]
        if targets:
            self.line("else:", e.location)
            self.line(f"    {', '.join(targets)}{',' * (len(targets) == 1)} = {found}", e.location)
