"""The graph: SSA values, equations with nested regions, and their source locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any

from autograph.extension_points import POINTS
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.numpy_settings import Settings
from autograph.runtime.ir.pytree import flatten, is_leaf
from autograph.runtime.ir.types import ArrayType, Type, type_of

if TYPE_CHECKING:
    from autograph.runtime.drawings.graph_def import GraphDef, Node
    from autograph.runtime.ops.op import Op


@is_leaf
class Value:
    """One SSA value: made once, by an equation or as a graph's or region's input.

    It is equal to itself alone. An array among the constants that it stands with would answer
    `array == value` element by element, and `value in e.args` would raise: NumPy leaves it out.
    """

    __slots__ = ("hint", "type")
    __array_ufunc__ = None

    def __init__(self, type: Type, hint: str = "") -> None:
        self.type = type
        self.hint = hint

    def __repr__(self) -> str:
        return f"<Value {self.hint or '_'}: {self.type}>"


Atom = Any
"""A `Value`, or a constant: any other object stands for itself."""

Nest = Any
"""A tuple, list, dict or slice of nests, or an atom."""


def atom_type(atom: Atom) -> Type:
    return atom.type if isinstance(atom, Value) else type_of(atom)


PendingWrites = tuple[tuple[Any, Nest], ...]
"""Pairs of an object of the caller's (an input of the graph, the number of a container, or an
`OutsideLocation`) and the nest of values and constants that it must hold."""

CALL = "call"
"""The op that runs a graph of its own, maybe the one it stands in; other regions belong to their
equation."""

NESTS: set[type] = {tuple, list, dict, slice}
"""Containers of values and constants; other modules add namedtuples that can `show` themselves."""

PLAIN = frozenset({int, float, complex, bool, str, type(None), type, type(Ellipsis), Value})
"""Classes of leaves that are values or constants, never containers."""


def map_leaves(fn: Callable[[Any], Any], nest: Nest) -> Any:
    """Applies `fn` to the leaves of tuples, lists, dicts and slices and rebuilds the containers; a
    slice of which nothing changes stays the same object.

    >>> map_leaves(lambda x: x + 1, (1, [2], {"k": 3}))
    (2, [3], {'k': 4})
    """
    cls = type(nest)
    if cls is tuple or cls is list:
        return cls([map_leaves(fn, x) if type(x) in NESTS else fn(x) for x in nest])
    if cls is dict:
        return {k: map_leaves(fn, v) for k, v in nest.items()}
    if cls is slice:
        parts = nest.start, nest.stop, nest.step
        made = [map_leaves(fn, x) for x in parts]
        return nest if all(map(is_, made, parts)) else slice(*made)
    return cls(*[map_leaves(fn, x) for x in nest]) if cls in NESTS else fn(nest)


CONSTANTS = PLAIN - {Value}
"""Classes of leaves that are certainly constants."""


def map_unless_constant(fn: Callable[[Any], Any], nest: Nest) -> Any:
    """Maps as `map_leaves`, for a function that leaves plain constants as they are: containers of
    nothing else stay the same objects.

    >>> index = (slice(1, None), 3)
    >>> map_unless_constant(str, index) is index
    True
    """
    cls = type(nest)
    if cls is slice:
        if type(nest.start) in CONSTANTS and type(nest.stop) in CONSTANTS and (
                type(nest.step) in CONSTANTS):
            return nest
    elif cls is tuple:
        made = [x if type(x) in CONSTANTS else map_unless_constant(fn, x) for x in nest]
        return nest if all(map(is_, made, nest)) else tuple(made)
    elif cls in CONSTANTS:
        return nest
    return map_leaves(fn, nest)


def leaves(nest: Nest) -> Iterator[Atom]:
    """The leaves that `map_leaves` visits, in the same order."""
    cls = type(nest)
    if cls is slice:
        yield from leaves((nest.start, nest.stop, nest.step))
    elif cls in NESTS:
        for x in nest.values() if cls is dict else nest:
            yield from leaves(x)
    else:
        yield nest


def add_values(nest: Nest, found: list[Value]) -> None:
    """Appends the values in a container that `map_leaves` goes into, in order."""
    cls = type(nest)
    if cls is slice:
        nest = (nest.start, nest.stop, nest.step)
    for x in nest.values() if cls is dict else nest:
        if type(x) is Value:
            found.append(x)
        elif type(x) in NESTS:
            add_values(x, found)


def values_written(writes: PendingWrites) -> tuple[Value, ...]:
    """Returns the values in pending writes, in order."""
    return tuple(v for _, nest in writes for v in (
        (nest,) if type(nest) is Value else flatten(nest)) if type(v) is Value)


@dataclass(eq=False, slots=True)
class Equation:
    """`outputs = op(*args, **kwargs)`, with regions if the op is control flow.

    `args` and `kwargs` are nests (tuple, list, dict, slice) whose leaves are values or constants;
    the op's kernel is called with just that nest, the values replaced by what they hold.
    `settings` are those of NumPy that hold meanwhile, where the user said so:
    ("divide", "ignore"), …
    `pending_writes` are made if it raises: what the program changed before it, and the graph has
    not written yet. None if it does not raise.
    `pinned` says that it stays though nothing uses its outputs: if it raises, it does so there.
    """

    op: Op
    args: tuple[Nest, ...]
    kwargs: Mapping[str, Nest]
    outputs: tuple[Value, ...]
    regions: tuple[Graph, ...] = ()
    location: Location | None = None
    settings: Settings = ()
    pending_writes: PendingWrites | None = None
    pinned: bool = False
    inputs: tuple[Value, ...] = field(init=False)
    """The values in `args` and `kwargs`, in order, repeated if they occur twice."""
    uses: tuple[Value, ...] = field(init=False)
    """The inputs, and the values in the pending writes."""

    def __post_init__(self) -> None:
        found: list[Value] = []
        for x in self.args:
            if type(x) is Value:
                found.append(x)
            elif type(x) in NESTS:
                add_values(x, found)
        if self.kwargs:
            add_values(dict(self.kwargs), found)
        self.inputs = self.uses = tuple(found)
        if self.pending_writes:
            self.write_before_raising(self.pending_writes)

    def copy(self) -> Equation:
        """Another equation of the same parts."""
        new = object.__new__(Equation)
        new.op, new.args, new.kwargs, new.inputs = self.op, self.args, self.kwargs, self.inputs
        new.outputs, new.regions = self.outputs, self.regions
        new.location, new.settings = self.location, self.settings
        new.pending_writes, new.pinned, new.uses = self.pending_writes, self.pinned, self.uses
        return new

    def collect_inputs(self) -> None:
        """Finds the inputs again, after a pass changed the arguments."""
        self.__post_init__()

    def write_before_raising(self, writes: PendingWrites,
                             values: tuple[Value, ...] | None = None) -> None:
        """Sets the pending writes; `values` are those in them, if they are known."""
        self.pending_writes = writes
        self.uses = self.inputs + (values_written(writes) if values is None else values)

    @property
    def is_repeatable(self) -> bool:
        """True if it could be computed again elsewhere."""
        return not (self.op.effect or self.regions or self.pinned)

    @property
    def is_cheap(self) -> bool:
        """True for elementwise arithmetic, which costs no more than to keep its result."""
        return self.is_repeatable and self.op.on_elements and self.op.ufunc is not None

    @property
    def is_view(self) -> bool:
        """True if it gives an array, and may run again, in the memory of an operand."""
        return self.op.view and self.is_repeatable and all(
            isinstance(v.type, ArrayType) and not v.type.scalar for v in self.outputs)

    @property
    def has_effect(self) -> bool:
        """True if it must run though nothing uses its outputs."""
        op = self.op
        if op.effect or (self.pinned and op.takes_items):
            return True
        if not self.regions:
            return False
        if self.callee is not None:
            return any(e.op.effect for e in self.callee.walk())
        return any(e.has_effect or e.pinned for region in self.regions for e in region.equations)

    @property
    def takes_items(self) -> bool:
        """True if it may move an iterator on that the run has."""
        return self.pinned and self.op.takes_items

    @property
    def callee(self) -> Graph | None:
        """The graph that a call runs; None for other equations."""
        return self.regions[0] if self.op.name == CALL and self.regions else None


@dataclass(eq=False)
class Graph:
    """Equations in program order. A region is a Graph whose equations may use outer values.

    printed  what the program printed while this was traced, as text, each with the number of the
             equations before it.
    """

    name: str
    inputs: tuple[Value, ...] = ()
    equations: list[Equation] = field(default_factory=list)
    outputs: tuple[Atom, ...] = ()
    captures: dict[Value, Any] = field(default_factory=dict)
    printed: list[tuple[int, str]] = field(default_factory=list)

    def walk(self) -> Iterator[Equation]:
        """Every equation, those of nested regions after the equation that holds them, and those of
        the graphs that are called, each once."""
        return chain.from_iterable(map(equations_in, graphs_in(self)))

    @property
    def by_reference(self) -> bool:
        """True if it writes arrays in place: then equations that read memory keep their order."""
        return "store" in [e.op.effect for e in self.walk()]

    def copy(self, made: dict[Graph, Graph] | None = None) -> Graph:
        """A graph of the same values with equations of its own, which passes may change.

        `made` holds the copies of graphs that are called, each of which is copied once.
        """
        made = {} if made is None else made
        made[self] = new = Graph(self.name, self.inputs, [], self.outputs, dict(self.captures))
        new.equations = [e.copy() for e in self.equations]
        for e in new.equations:
            if e.regions:
                e.regions = tuple(made.get(r) or r.copy(made) for r in e.regions)
        return new

    def free_values(self) -> tuple[Value, ...]:
        """Values used here, or by the graphs that are called, but made in a graph around this one,
        in order of first use."""
        graphs = graphs_in(self)
        own = set(binders(self))  # a region may call the graph that it is in, whose values are free
        made = own.union(*map(binders, graphs[1:]))
        return tuple(dict.fromkeys(v for each in graphs for v in used(each)
                                   if v not in (own if each is self else made)))

    def __repr__(self) -> str:
        count = len(self.equations)
        return f"<Graph {self.name}: {count} equation{'s' * (count != 1)}; print shows it>"

    def __str__(self) -> str:
        return POINTS.to_text(self)

    def to_dot(self) -> str:
        """The graph in the DOT language, for Graphviz; regions are clusters."""
        return POINTS.to_dot(self)

    def _repr_html_(self) -> str:
        """The graph in a notebook: nested boxes in program order."""
        return POINTS.to_html(self)

    def as_graph_def(self) -> GraphDef:
        """The graph as named nodes: `.node[i].name`, `.op`, `.input`, and `.library.function`."""
        made: GraphDef = POINTS.to_graph_def(self)
        return made

    def get_operations(self) -> list[Node]:
        """The nodes, in program order."""
        return self.as_graph_def().node

    def get_operation_by_name(self, name: str) -> Node:
        """The node of this name.

        Raises:
          KeyError: there is none.
        """
        for node in self.get_operations():
            if node.name == name:
                return node
        raise KeyError(f"the graph {self.name} has no operation {name!r}")

    def get_tensor_by_name(self, name: str) -> Value:
        """The value of this name: `sin:0` is the first output of the node `sin`.

        Raises:
          KeyError: there is none.
        """
        value: Value = POINTS.tensor_named(self, name)
        return value

    @property
    def internal_captures(self) -> tuple[Value, ...]:
        """The values that stand for arrays and variables from outside."""
        return tuple(self.captures)

    @property
    def external_captures(self) -> tuple[Any, ...]:
        """The arrays from outside, and the storages of variables."""
        return tuple(self.captures.values())

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it refers to, as long as something else does, too."""
        owners = [c.owner() for c in self.captures.values() if hasattr(c, "owner")]
        return tuple(v for v in owners if v is not None)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)


def regions_of(e: Equation) -> tuple[Graph, ...]:
    """The regions that belong to an equation; a callee is a graph of its own, maybe this one."""
    return () if e.op.name == CALL else e.regions


def graphs_of(e: Equation) -> Iterator[Graph]:
    """The regions that belong to an equation, and those in them."""
    pending = [*reversed(regions_of(e))]
    while pending:
        yield (region := pending.pop())
        inside = [r for inner in region.equations if inner.regions
                  for r in regions_of(inner)]
        pending += reversed(inside)


def equations_in(graph: Graph) -> list[Equation]:
    """Every equation of the graph and of its regions, but not of the graphs that it calls."""
    found: list[Equation] = []
    pending = [iter(graph.equations)]
    while pending:
        for equation in pending[-1]:
            found.append(equation)
            if equation.regions:
                pending += [iter(r.equations) for r in reversed(regions_of(equation))]
                break
        else:
            pending.pop()
    return found


def graphs_in(graph: Graph) -> list[Graph]:
    """The graph and those that it calls, directly or not, each once."""
    found = {graph: None}
    pending = [graph]
    while pending:
        new = [g for g in dict.fromkeys(_called(pending.pop(0))) if g not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return list(found)


def text_printed(graph: Graph) -> str:
    """Returns what was printed while a graph, its regions and those that it calls were traced."""
    done: set[Graph] = set()

    def parts(graph: Graph) -> Iterator[str]:
        if graph in done:
            return
        done.add(graph)
        waiting = list(graph.printed)
        for number, e in enumerate(graph.equations):
            while waiting and waiting[0][0] <= number:
                yield waiting.pop(0)[1]
            for inner in e.regions:
                yield from parts(inner)
        yield from (text for _, text in waiting)

    return "".join(parts(graph))


def _called(graph: Graph) -> list[Graph]:
    """The graphs that a graph and its regions call, in order."""
    found: list[Graph] = []
    pending = [e for e in reversed(graph.equations) if e.regions]
    while pending:
        e = pending.pop()
        if (callee := e.callee) is not None:
            found.append(callee)
            continue
        for region in reversed(e.regions):
            pending += filter(attrgetter("regions"), reversed(region.equations))
    return found


def binders(graph: Graph) -> Iterator[Value]:
    """Every value that a graph or its regions make, in the order of the text."""
    yield from (*graph.inputs, *graph.captures)
    for equation in graph.equations:
        yield from equation.outputs
        if equation.regions:
            for region in regions_of(equation):
                yield from binders(region)


def used(graph: Graph) -> Iterator[Value]:
    """Every value that a graph or its regions use, as often as they do."""
    for equation in graph.equations:
        yield from equation.uses
        if equation.regions:
            for region in regions_of(equation):
                yield from used(region)
    yield from (a for a in graph.outputs if isinstance(a, Value))
