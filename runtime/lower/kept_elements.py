"""Elements of small arrays that a loop keeps for a derivative, where only loops read them.

The loop over the elements appends tuples of Python's numbers to the stack of arrays, and a loop
backward over elements takes them apart again; other code makes an array of them. If the loop runs
again on arrays, `as_elements` turns what it kept into the same form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value
from autograph.runtime.ir.types import StackType
from autograph.runtime.ops import Op, type_rules
from autograph.runtime.ops.kept_values import KEPT_AT, NEW_STACK, PUSH


def keep(stack: list[Any], *elements: Any) -> None:
    """Puts the elements of an array on a stack, or a number."""
    stack.append(elements if len(elements) > 1 else elements[0])


def elements_at(stack: list[Any], k: int) -> Any:
    """Returns the elements of the array that iteration k put on a stack."""
    return stack[k]


KEEP = Op("keep", keep, type_rules.fixed(()), "", (), onnx=None, doc="`keep` of this module")
ELEMENTS_AT = Op("elements_at", elements_at, type_rules.fixed(()), "", (), onnx=None,
                 doc="`elements_at` of this module")


def as_elements(stack: list[Any]) -> None:
    """Replaces arrays and NumPy's scalars by lists of their elements, and by Python's numbers."""
    stack[:] = [x.tolist() if hasattr(x, "tolist") else x for x in stack]


def of_elements(graph: Graph) -> set[Value]:
    """Returns the stacks that may hold elements: loops alone fill them, from where they are made,
    and their items alone are read."""
    equations = [*graph.walk()]
    made = {e.outputs[0] for e in equations if e.op is NEW_STACK}
    if not made:
        return made
    used = _values(x for e in equations if e.op is not KEPT_AT for x in e.inputs)
    handed_on = used | _values(x for g in (graph, *(r for e in equations for r in e.regions))
                               for x in g.outputs)
    return {v for e in equations for v in e.outputs
            if isinstance(v.type, StackType) and v not in handed_on and e.op is not PUSH} | made


def _values(atoms: Iterable[Atom]) -> set[Value]:
    return {a for a in atoms if isinstance(a, Value) and isinstance(a.type, StackType)}


def pushed(stack: Value, elements: tuple[Atom, ...], like: Equation) -> Equation:
    """Returns the equation that keeps elements."""
    return Equation(KEEP, (stack, *elements), {}, (), location=like.location)


def read(stack: Value, k: Atom, elements: tuple[Value, ...], like: Equation) -> Equation:
    """Returns the equation that reads elements."""
    op = ELEMENTS_AT if len(elements) > 1 else KEPT_AT
    return Equation(op, (stack, k), {}, elements, location=like.location)
