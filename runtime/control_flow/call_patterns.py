"""Patterns of calls: nests of which some leaves are parameters of a graph. They are widened until
every call fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.runtime.control_flow.known_containers import Same, structure
from autograph.runtime.control_flow.left_nests import Inner
from autograph.runtime.control_flow.traced_regions import leaf_type
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.tuples_of_run import traces_tuples
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, is_immutable_nest
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, join
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.tensor import Tensor


class Mismatch(Exception):
    """Raised where a nest differs so much from a pattern that it needs a graph of its own."""


class Parameter:
    """A symbolic leaf.

    key      its identity, which it keeps when its type grows.
    is_list  True if it always is a list.
    written  True if the function changes in place the array or the list that it is given.
    input    the graph's input in the current attempt; `handle` is the handle of its tensor.
    """

    __slots__ = ("handle", "hint", "input", "is_list", "key", "list", "type", "written")

    def __init__(self, type: Type, hint: str = "", is_list: bool = False) -> None:
        self.type = type
        self.hint = hint
        self.is_list = is_list
        self.key = object()
        self.written = False
        self.input: Value | None = None
        self.handle: Handle | None = None
        self.list: StagedList | None = None

    def widened(self, t: Type, is_list: bool) -> Parameter:
        """Returns the parameter for values of another type as well."""
        joined = join(self.type, t)
        if joined == self.type and (is_list or not self.is_list):
            return self
        made = Parameter(joined, self.hint, self.is_list and is_list)
        made.key, made.written = self.key, self.written
        return made

    def enter(self, inputs: list[Value]) -> Any:
        """Add an input to the graph's inputs; returns it as the function sees it."""
        self.input = Value(self.type, self.hint)
        inputs.append(self.input)
        tensor = Tensor(self.input)
        self.handle = tensor._handle
        if not self.is_list:
            return tensor
        self.list = StagedList([Splice(tensor)])
        return self.list

    def was_written(self) -> bool:
        """Returns True if the current attempt changed the array or the list in place."""
        if self.list is not None:
            items = list(list.__iter__(self.list))
            return len(items) != 1 or type(items[0]) is not Splice or (
                items[0].value._handle is not self.handle)
        return self.handle is not None and self.handle.has_changed(self.input)


def pattern_of(nest: Any, outside: Iterable[int] | None = None) -> Any:
    """Returns a nest with a parameter for every symbolic leaf.

    outside: the ids of the containers that are known by identity; None: all mutable ones are.
    """
    if isinstance(nest, (Tensor, Inner)):
        return Parameter(leaf_type(nest), _hint(nest))
    if type(nest) is StagedList and outside is not None and id(nest) not in outside:
        return Parameter(DYNAMIC, "", True)
    found = children(nest)
    known = outside is None and not isinstance(nest, (tuple, Splice))
    if isinstance(nest, list) or (found is not None and known):
        if known or (outside is not None and id(nest) in outside):
            return Same(nest)
    if found is None:
        return nest
    if structure(nest) is None:
        return Parameter(DYNAMIC, "", True)  # a list of unknown length
    if is_immutable_nest(nest) and traces_tuples():
        return Parameter(DYNAMIC, "")
    return found[2]([pattern_of(x, outside) for x in found[1]])


def pattern_of_call(call: Any) -> Any:
    """Returns the pattern of the arguments of a call."""
    return tuple(map(pattern_of, call))


def contents_pattern(contents: Any) -> Any:
    """Returns the pattern of what a list, a dict or an object's attributes hold."""
    found = structure(contents)
    if found is None:
        return pattern_of(contents)
    return found[2]([pattern_of(x) for x in found[1]])


def widened(pattern: Any, nest: Any, anything: bool = False) -> tuple[Any, bool]:
    """Returns the pattern for another nest as well, and True if it had to change.

    anything: a parameter may stand for values that have nothing in common.

    Raises:
      Mismatch: the parts that differ are not arrays or numbers; only without `anything`.
    """
    if isinstance(pattern, Parameter):
        new = pattern.widened(_common(pattern.type, nest, anything or pattern.is_list),
                              _is_list(nest))
        return new, new is not pattern
    if isinstance(pattern, Same):
        if pattern.value is nest or pattern.is_also(nest):
            return pattern, False
        if not anything and not (isinstance(pattern.value, list) and _is_list(nest)):
            raise Mismatch
        return Parameter(DYNAMIC, "", _is_list(nest)), True
    left, right = structure(pattern), structure(nest)
    if left and right and left[0] == right[0]:
        pairs = [widened(a, b, anything) for a, b in zip(left[1], right[1], strict=True)]
        if not any(grew for _, grew in pairs):
            return pattern, False
        return left[2]([p for p, _ in pairs]), True
    if left is None and right is None and not isinstance(nest, (Tensor, Inner)) and (
            same_constant(pattern, nest)):
        return pattern, False
    old = DYNAMIC if left is not None else leaf_type(pattern)
    joined = join(old, _common(old, nest, anything))
    return Parameter(joined, _hint(nest), isinstance(pattern, list) and _is_list(
        nest)), True


def _common(old: Type, nest: Any, anything: bool) -> Type:
    """Returns the type of a leaf.

    Raises:
      Mismatch: it has nothing in common with the old type; only without `anything`.
    """
    t = DYNAMIC if children(nest) is not None else leaf_type(nest)
    if not anything and not (old == t or (_is_numeric(old) and _is_numeric(t))):
        raise Mismatch
    return t


def _is_list(nest: Any) -> bool:
    return isinstance(nest.value if isinstance(nest, Same) else nest, list)


def _is_numeric(t: Type) -> bool:
    return isinstance(t, ArrayType) or (isinstance(t, PyType) and t.cls in (
        bool, int, float, complex))


def _hint(leaf: Any) -> str:
    if isinstance(leaf, Tensor):
        return leaf._handle.value.hint
    return leaf.value.hint if isinstance(leaf, Inner) else ""


def split(pattern: Any, nest: Any) -> list[tuple[Parameter, Any]]:
    """Returns the parameters of a pattern, each with the part of a nest that it stands for."""
    if isinstance(pattern, Parameter):
        return [(pattern, nest)]
    if isinstance(pattern, Same):
        return []
    left, right = structure(pattern), structure(nest)
    if left is None or right is None:
        return []
    return [x for pair in zip(left[1], right[1], strict=True) for x in split(*pair)]
