"""Binding: splits a call's arguments into a key, symbolic leaves and guards."""

from __future__ import annotations

import copy
import weakref
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

from autograph.libraries import is_closed_class
from autograph.own_attributes import class_has, held
from autograph.runtime.heap.kept_functions import notices_hashing
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.pytree import (
    LEAVES,
    attribute_names,
    children,
    field_names,
    is_mutable_data_class,
)
from autograph.runtime.ir.stand_ins import STAND_INS, Stands, array_of
from autograph.runtime.ir.types import CONTAINERS, DYNAMIC, TEXT, ArrayType, PyType, Type
from autograph.runtime.ops.state import Storage, Store
from autograph.runtime.signatures.cache_keys import (
    ITEMS,
    LASTING,
    LITERALS,
    ByReference,
    ForeignArray,
    Growing,
    Identity,
    Key,
    Node,
    OfCode,
    Same,
    Stateful,
    array_key,
    items_key,
    literal,
    value_key,
)
from autograph.runtime.signatures.filler import Filler, LeafRef, is_mutable, is_named_tuple
from autograph.runtime.signatures.guards import Const, Guards, Step
from autograph.runtime.signatures.shared_parts import (
    are_different,
    are_separate,
    led_to,
    shared_parts,
)
from autograph.runtime.signatures.spec import TensorSpec
from autograph.runtime.signatures.weak_functions import strongly, weakly
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import Variable


@dataclass
class Leaf:
    """One symbolic leaf of the arguments.

    hint   the name in the graph.
    type   what the trace relies on: this leaf's part of the key.
    path   the expression over the parameters that finds the leaf.
    value  the array, number or variable of this call.
    name   the name that a TensorSpec gave it.
    """

    hint: str
    type: Any
    path: str
    value: Any
    name: str | None = None

    @property
    def graph_type(self) -> Type:
        """The type of the graph's input; anything but a plain array or number is dynamic."""
        if isinstance(self.type, PyType):
            return self.type
        if isinstance(self.type, ByReference):
            return PyType(self.type.cls) if self.type.cls in CONTAINERS else DYNAMIC
        if isinstance(self.type, ArrayType) and not _is_text(self.type):
            return self.type
        if isinstance(self.type, ForeignArray) and self.type.cls is np.ndarray and (
                self.type.dtype.fields):
            return ArrayType(self.type.dtype, self.type.shape)  # its fields are views
        scalar = isinstance(self.type, ArrayType) and self.type.scalar and self.type.dtype
        return TEXT.get(scalar.kind, DYNAMIC) if scalar else DYNAMIC


@dataclass
class Bound:
    """A call's arguments, bound to a signature.

    key     hashable; calls with equal keys share a trace.
    leaves  the symbolic leaves, each array object once.
    guards  tests that only calls of this key pass; None if no guard can tell.
    nest    the arguments by parameter name, each leaf replaced by its `LeafRef`.
    containers  the lists, dicts, sets and objects that the function may change, and the path of
    each.
    stands  the arrays among the leaves for which something stands in the call.
    named   the name and the copy in the nest of each of Python's containers, and of each object: by
    its name, it can become an input by reference.
    """

    key: Key
    leaves: list[Leaf]
    guards: list[Step] | None
    nest: dict[str, Any]
    containers: list[tuple[str, Any]] = field(default_factory=list)
    named: list[tuple[str, Any]] = field(default_factory=list)
    stands: Stands = field(default_factory=list)

    @property
    def references(self) -> list[Any]:
        """The arguments that only the run looks into."""
        return [leaf.value for leaf in self.leaves if isinstance(leaf.type, ByReference)]

    def signature(self) -> Bound:
        """Returns what a trace keeps of the call: no array, and objects only weakly."""
        leaves = [Leaf(x.hint, x.type, x.path, weakly(x.value) if isinstance(
            x.type, OfCode) else None, x.name) for x in self.leaves]
        fill = Filler(_without_objects)
        nest = {name: fill(x) for name, x in self.nest.items()}
        containers = [(path, None) for path, _ in self.containers]
        return Bound(self.key, leaves, self.guards, nest, containers)

    def filled(self, leaves: Sequence[Any], containers: Sequence[Any] = ()) -> dict[str, Any]:
        """Returns the nest with values for its leaves, and the caller's containers if given."""
        def leaf(x: Any) -> Any:
            if not isinstance(x, LeafRef):
                return strongly(x)
            value = leaves[x.index]
            return Variable.of_storage(value) if isinstance(value, Storage) else value

        fill = Filler(leaf, containers)
        return {name: leaf(x) if x.__class__ is LeafRef else fill(x)
                for name, x in self.nest.items()}

    def container(self, number: int, leaves: Sequence[Any]) -> Any:
        """Returns a container of the nest, with values for its leaves."""
        met: dict[int, Any] = {}
        for x in self.nest.values():
            _meet(x, met)
        return Filler(lambda x: leaves[x.index] if isinstance(x, LeafRef) else x)(
            list(met.values())[number])


def _meet(nest: Any, met: dict[int, Any]) -> None:
    """Enters the mutable containers of a nest by their ids, in the order in which `bind` does."""
    if is_mutable(nest):
        met.setdefault(id(nest), nest)
    found = children(nest)
    for x in () if found is None else found[1]:
        _meet(x, met)


ALWAYS_BY_REFERENCE = (deque, Counter, *BUFFERS)
"""Containers that are always inputs by reference: by identity, each would need its own trace."""


def _without_objects(x: Any) -> Any:
    if type(x) is set:
        return set(map(_without_objects, x))
    return x if isinstance(x, (LeafRef, np.ndarray)) else weakly(x)


FUNCTIONS = "the functions"
"""Among the names of inputs by reference: all functions that may be made again for another call."""

DEEPEST = 20
"""Containers that are nested deeper, such as the nodes of a list, are inputs by reference."""


class NeedsReference(Exception):
    """A container has to be an input by reference: it is met in itself, or nests too deeply."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Binder:
    """Binds a call's arguments, by walking over them once.

    A `pattern` is the key of a trace: where it is more general than an array, the leaf is as
    general; where it has a symbolic number, a Python number is a leaf.
    """

    def __init__(self, parameters: Iterable[str], by_reference: Collection[str] = ()) -> None:
        self.by_reference = by_reference
        self.named: list[tuple[str, Any]] = []
        self.leaves: list[Leaf] = []
        self.seen: dict[int, int] = {}
        self.guards = Guards(parameters)
        self.containers: list[tuple[str, Any]] = []
        self.copies: dict[int, tuple[Any, str, Any, int]] = {}
        self.open: dict[int, type] = {}
        self.growing: list[tuple[str, Any]] = []
        self.hints: dict[int, str] = {}
        self.stands: Stands = []
        self.known: dict[int, str] = {}  # the names of objects that are constants of the trace
        self.constants: list[tuple[str, Any]] = []
        self.led_to: tuple[bool, ...] = ()

    def walk(self, x: Any, path: str, hint: str, pattern: Key = None) -> tuple[Key, Any]:
        """Returns (key, nest) of an argument or of a part of one."""
        cls = type(x)
        if isinstance(x, (np.ndarray, np.generic)):
            return self.array(x, path, hint, pattern)
        if isinstance(pattern, (PyType, Growing)) and pattern.cls is cls and (
                hint not in self.by_reference):
            self.guards.of_type(path, cls)
            if isinstance(pattern, Growing):
                if again := self.met(x, path):
                    return again
                self.growing.append((path, x))
                self.hints[id(x)] = hint
            return self.leaf(pattern, x, path, hint)
        if cls in CONTAINERS:
            return self.python_container(x, path, hint, pattern)
        if cls in LITERALS:
            self.guards.literal(path, x)
            return literal(x), x
        if isinstance(x, (Tensor, TensorSpec, Variable)):
            return self.symbolic(x, path, hint)
        if cls is Store:
            return self.met(x, path) or self.leaf(Growing(cls), x, path, hint)
        if held(cls, "__ag_tracing_type__") is not None:
            self.guards.give_up()
            found = x.__ag_tracing_type__(None)
            return found, found.placeholder_value(None)
        if is_mutable_data_class(x):
            return self.python_container(x, path, hint, pattern)
        if is_named_tuple(x):
            return self.tuple_(x, path, hint, pattern)
        if (found := children(x)) is not None:
            return self.container(x, found, path, hint, pattern)
        if is_library_object(x) or cls is MappingProxyType:
            self.guards.of_type(path, cls)
            return self.met(x, path) or self.leaf(ByReference(cls), x, path, hint)
        return self.constant(x, path, hint, pattern)

    def python_container(self, x: Any, path: str, hint: str, pattern: Key) -> tuple[Key, Any]:
        """Binds a mutable container of Python's, or object of a data class: its parts if possible,
        or the container itself."""
        if type(x) in ALWAYS_BY_REFERENCE or hint in self.by_reference or isinstance(
                pattern, ByReference) or id(x) in self.seen or (
                    isinstance(x, dict) and not LEAVES.issuperset(map(type, x))
                    and notices_hashing(x)):
            self.guards.of_type(path, type(x))
            return self.met(x, path) or self.leaf(ByReference(type(x)), x, path, hint)
        found = children(x)
        if found is None and id(x) in self.copies:
            found = None, [], set
        key, nest = self.constant(x, path, hint, pattern) if found is None else self.container(
            x, found, path, hint, pattern)
        if found is None:
            self.copies[id(x)] = x, path, nest, len(self.containers)
        self.named.append((hint, nest))
        return key, nest

    def tuple_(self, x: Any, path: str, hint: str, pattern: Key) -> tuple[Key, Any]:
        """Binds a tuple by its parts; or itself, where it shows which tuple it is."""
        if hint in self.by_reference or isinstance(pattern, ByReference):
            self.guards.of_type(path, type(x))
            return self.met(x, path) or self.leaf(ByReference(type(x)), x, path, hint)
        key, nest = self.container(x, children(x), path, hint, pattern)
        self.named.append((hint, nest))
        return key, nest

    def symbolic(self, x: Any, path: str, hint: str) -> tuple[Key, Any]:
        """Binds a spec, a variable, or (if a trace is called in another) a tensor."""
        if isinstance(x, Tensor):
            return self.met(x, path) or self.leaf(x.type, x, path, hint)
        if isinstance(x, TensorSpec):
            return self.leaf(x.type, x, path, x.name or hint, x.name)
        self.guards.add(Const(Variable.type_of), f"({path}) == ", Const(x.type))
        (path,) = self.guards.parts([f"{path}.storage"])
        return self.met(x.storage, path) or self.leaf(Stateful(x.type), x.storage, path, hint)

    def met(self, x: Any, path: str) -> tuple[Key, Any] | None:
        """Returns the reference to a leaf that was met before; else notes it as the next leaf."""
        if id(x) in self.known:
            raise NeedsReference(self.known[id(x)])  # the trace would read it as it is before
        found = self.seen.setdefault(id(x), len(self.leaves))
        if found == len(self.leaves):
            return None
        self.guards.add(f"{path} is {self.leaves[found].path}")
        return Same(found), LeafRef(found)

    def shared_names(self) -> set[str]:
        """Returns the names of the containers bound by value to which inputs by reference, or lists
        that grow, lead; if there are none, only such calls pass the guards."""
        references = [(leaf.path, leaf.value) for leaf in self.leaves
                      if isinstance(leaf.type, ByReference) and not is_library_object(leaf.value)]
        for path, _ in references if self.known else ():
            self.guards.add(Const(id), f"({path}) not in ", Const(frozenset(self.known)))
        self._note_led_to(references)
        pairs = [(references, [*self.containers, *self.growing]), (self.growing, self.containers)]
        shared: list[Any] = []
        for leading, by_value in pairs:
            if leading and by_value:
                shared += shared_parts([x for _, x in leading], [x for _, x in by_value])
                self.guards.add(Const(are_separate), f"(({', '.join(p for p, _ in leading)},), "
                                f"({', '.join(p for p, _ in by_value)},))")
        if len(self.growing) > 1:
            paths = ", ".join(path for path, _ in self.growing)
            self.guards.add(Const(are_different), f"({paths})")
        return {self.hints[id(x)] for x in shared}

    def _note_led_to(self, references: list[tuple[str, Any]]) -> None:
        """Notes to which constants of the trace inputs by reference lead: it is part of the key."""
        objects = [(path, x) for path, x in self.constants if not isinstance(x, type)]
        if references and objects:
            self.led_to = led_to(tuple(x for _, x in references), tuple(x for _, x in objects))
            self.guards.add(Const(led_to), f"(({', '.join(p for p, _ in references)},), "
                            f"({', '.join(p for p, _ in objects)},)) == ", Const(self.led_to))

    def array(self, x: Any, path: str, hint: str, pattern: Key) -> tuple[Key, Any]:
        if isinstance(x, np.ndarray) and (again := self.met(x, path)) is not None:
            return again
        if type(x) in STAND_INS:
            self.stands.append((array_of(x), x))
            x = self.stands[-1][0]
        key = array_key(x)
        if isinstance(pattern, ArrayType) and isinstance(key, ArrayType):
            key = pattern
        if isinstance(x, np.generic):
            self.guards.of_type(path, type(x))
        elif isinstance(key, ArrayType):
            self.guards.array(path, key)
        else:
            self.guards.give_up()
        return self.leaf(key, x, path, hint)

    def leaf(self, key: Any, x: Any, path: str, hint: str, name: str | None = None
             ) -> tuple[Key, Any]:
        self.leaves.append(Leaf(hint, key, path, x, name))
        return key, LeafRef(len(self.leaves) - 1)

    def container(self, x: Any, found: Any, path: str, hint: str, pattern: Key) -> tuple[Key, Any]:
        kind, inside, rebuild = found
        if is_mutable(x) and (id(x) in self.open or len(self.open) >= DEEPEST):
            raise NeedsReference(next((self.hints[i] for i, cls in self.open.items()
                                       if cls is type(x) and i in self.hints), hint))
        if id(x) in self.open:
            raise TracingError(
                f"the argument {hint} is in a {type(x).__name__} that contains itself\n"
                "  hint: pass the parts, or keep the reference back in an attribute of an object")
        if id(x) in self.copies:
            _, first, nest, number = self.copies[id(x)]
            self.guards.add(f"{path} is {first}")
            return Node("same container", number), nest
        if is_mutable(x):
            self.containers.append((path, x))
            self.hints[id(x)] = hint
        number = len(self.containers)
        named_paths = self.named_paths(x, len(inside), path)
        patterns = pattern.parts if isinstance(pattern, Node) and pattern.kind == kind else (
            [None] * len(inside))
        self.open[id(x)] = type(x)
        parts = [self.walk(c, inner, f"{hint}_{name}", p) for c, (inner, name), p in zip(
            inside, named_paths, patterns, strict=True)]
        del self.open[id(x)]
        nest = rebuild([nest for _, nest in parts])
        if is_mutable(x):
            self.copies[id(x)] = x, path, nest, number
        return Node(kind, tuple(key for key, _ in parts)), nest

    def named_paths(self, x: Any, count: int, path: str) -> list[tuple[str, Any]]:
        """Returns the path and the name of each part of a container, and guards its structure."""
        names: Iterable[Any] = range(count)
        if isinstance(x, dict):
            names, paths = list(x), self.guards.mapping(path, x)
        elif field_names(type(x)) and not class_has(type(x), "__ag_flatten__"):
            self.guards.of_type(path, type(x))
            self.guards.attributes(path, x)
            names = attribute_names(x)
            paths = self.guards.parts([f"{path}.{name}" for name in names])
        elif isinstance(x, (list, tuple)):
            paths = self.guards.sequence(path, x)
        else:
            self.guards.give_up()
            paths = [f"{path}[{i}]" for i in range(count)]
        return list(zip(paths, names, strict=True))

    def constant(self, x: Any, path: str, hint: str, pattern: Key) -> tuple[Key, Any]:
        """Binds a constant: it is compared by value if it is a value, else by identity; or an
        object by reference."""
        if isinstance(x, weakref.ref):
            self.guards.give_up()
            return Node(weakref.ref, (value_key(x()),)), x
        key = value_key(x)
        if isinstance(key, Identity) and (hint in self.by_reference or id(x) in self.seen or (
                isinstance(pattern, ByReference))):
            self.guards.of_type(path, type(x))
            return self.met(x, path) or self.leaf(ByReference(type(x)), x, path, hint)
        if type(x) is FunctionType and may_be_made_again(x):
            self.named.append((FUNCTIONS, x))
            if FUNCTIONS in self.by_reference or isinstance(pattern, OfCode):
                self.guards.add(Const(value_key), f"({path}) == ", Const(key))
                return self.met(x, path) or self.leaf(OfCode(key), x, path, hint)
        if isinstance(key, Identity):
            self.known[id(x)] = hint
            self.constants.append((path, x))
            self.named.append((hint, x))
            self.guards.object(path, x, key.reference)
            if isinstance(x, ITEMS):  # of a class of the user's
                items = items_key(x)
                self.guards.add(Const(items_key), f"({path}) == ", Const(items))
                return Node(type(x), (key, items)), x
        elif isinstance(x, (Enum, *LASTING)) or (type(x) is FunctionType and not x.__closure__):
            self.guards.add(f"{path} is ", Const(x))
        else:
            self.guards.give_up()
        if type(x) is set:
            self.containers.append((path, x))
            self.hints[id(x)] = hint
            return key, copy.copy(x)
        return key, x


def may_be_made_again(f: FunctionType) -> bool:
    """Returns True for a function that a function makes, or a lambda: another call may be given
    another one of the same code."""
    return "<locals>" in f.__qualname__ or f.__name__ == "<lambda>"


def is_library_object(x: Any) -> bool:
    """Returns True for an object of an installed library: it is an input, whatever is in it."""
    return not isinstance(x, (type, FunctionType, ModuleType, Enum)) and is_closed_class(
        type(x))


def _is_text(t: ArrayType) -> bool:
    return t.dtype is not None and t.dtype.kind in "SUT" and t.shape == ()


PERSISTENT = "persistent state"
"""The name of the argument, after the function's own, that holds the persistent state: what the
function keeps outside itself from call to call. No parameter has such a name."""


def variable_beside(names: Collection[str]) -> str:
    """Returns the variable that holds the persistent state beside parameters of these names.

    >>> variable_beside(["x"]), variable_beside(["persistent_state"])
    ('persistent_state', 'persistent_state_')
    """
    found = "persistent_state"
    while found in names:
        found += "_"
    return found


def bind(arguments: dict[str, Any], pattern: Key = None,
         load: Callable[[], Any] | None = None, by_reference: Collection[str] = ()) -> Bound:
    """Binds a call's arguments, given by parameter name (`args` a tuple, `kwargs` a dict).

    Args:
      arguments: the arguments.
      pattern: the key of the trace that the call is for, if it is known.
      load: loads the argument `PERSISTENT` in the entry point's code.
      by_reference: the names of the containers that are inputs by reference.
    """
    binder = Binder(arguments, by_reference)
    patterns: Callable[[str], Key] = dict(pattern.parts).get if pattern is not None else (
        lambda name: None)
    parts = {}
    try:
        for name, x in arguments.items():
            path = name
            if name == PERSISTENT:
                path = variable_beside(arguments)
                binder.guards.bind(f"{path} = ", Const(load), "()")
            parts[name] = binder.walk(x, path, name, patterns(name))
        names = binder.shared_names()
    except NeedsReference as found:
        names = {found.name}
    if names:
        return bind(arguments, pattern, load, {*by_reference, *names})
    led = binder.led_to if any(binder.led_to) else None
    key = Node(led, tuple((name, k) for name, (k, _) in parts.items()))
    nest = {name: n for name, (_, n) in parts.items()}
    return Bound(key, binder.leaves, binder.guards.steps, nest, binder.containers, binder.named,
                 binder.stands)
