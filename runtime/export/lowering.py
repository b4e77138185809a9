"""The walk over a graph that all exports share: constants are computed, the rest goes to rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn

import numpy as np

from autograph.runtime.export.alternatives import (
    Opposites,
    by_things,
    loops_by_things,
    one_of_operands,
    opposite,
)
from autograph.runtime.export.joins import (
    NOTHING,
    Leaf,
    OneOf,
    Plan,
    Rows,
    is_absent,
    map_parts,
    of_test,
)
from autograph.runtime.export.kinds import (
    NUMBERS,
    PATHS,
    Kind,
    Mixed,
    NoForm,
    common_kind,
    dtype_of,
    joined_dtype,
    kind_of_constant,
    kind_of_result,
    kind_of_type,
    of_either,
)
from autograph.runtime.export.sites import Keywords, Site, shown_op
from autograph.runtime.export.stand_ins import certain_error
from autograph.runtime.heap.value_links import closure, links_of
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import Equation, Graph, Value, leaves, map_leaves
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.regions import as_branch, as_call, as_loop
from autograph.runtime.ir.types import ArrayType, Type, is_maybe_undefined
from autograph.runtime.ir.undefined import ClassAttribute, is_undefined
from autograph.runtime.ops import OPS
from autograph.runtime.ops.op import Op

FIXPOINT = 12
"""Times that a loop's body is tried until the kinds of the carried values stay the same."""

UNSETTLED = ("start each variable with the dtype and shape that it has later; in place of a list "
             "that grows, store into an array that is long enough: xs[i] = x")
"""The way out where they do not."""

UNROLLED = 64
"""The longest loop over unlike things that becomes a copy of its body for each."""

LONGEST = 1024
"""The longest array of which each item becomes a value of its own."""

Rules = Callable[[Op], Callable[[Any, "Site"], Any]]
"""Gives the rule of an op."""

NOT = OPS["not_"]
CARRYING = frozenset(OPS[name] for name in (
    "pack", "bound", "min_", "max_", "select_", "truth", "not_", "is_none"))
"""The ops that compute nothing of a number: they give it on, or ask for its truth."""

CHECKS = ("refuse", "drop")
DEEPEST = 100
"""Calls in one another: deeper ones are a recursion that does not end while it is exported."""


class Lowering(ABC):
    """One export of one graph.

    target   what the graph is exported to, for messages.
    has_rows  True if the target has lists of a length that only the run knows.
    rules    gives the rule of an op.
    checks   "refuse": an error that the graph may raise is refused; "drop": it is left out.
    env      what each value is: a constant, or a symbolic value of the target.
    kinds    the kinds of symbolic values whose dtype does not tell that they are weak.
    weak     the same of values that are parts of containers, by id.
    opposites  the bools that are the opposite of others.
    failed   tells what has failed so far, if the target looks for it; 0: nothing.
    """

    target = ""
    has_rows = False

    def __init__(self, rules: Rules, checks: str = "refuse") -> None:
        if checks not in CHECKS:
            raise ValueError(f"checks must be one of {', '.join(CHECKS)}, not {checks!r}")
        self.rules = rules
        self.checks = checks
        self.env: dict[Value, Any] = {}
        self.kinds: dict[Value, Kind] = {}
        self.weak: dict[int, tuple[Any, Kind]] = {}
        self.opposites = Opposites()
        self.failed: Any = 0
        self.depth = 0
        self.equation: Equation | None = None
        self.line: Location | None = None
        self.graph: Graph | None = None

    # -- what a target gives ----------------------------------------------------------------------

    @abstractmethod
    def is_symbolic(self, x: Any) -> bool:
        """Returns True for a value of the target."""

    @abstractmethod
    def dtype_of(self, x: Any) -> np.dtype[Any]:
        """Returns the dtype of a symbolic value."""

    @abstractmethod
    def cast(self, x: Any, dtype: np.dtype[Any] | None = None) -> Any:
        """Returns a value as one of the target, in a dtype if one is given."""

    def integers(self, x: Any) -> Any:
        """Returns what counts or is an index, in int64; refuses what Python or NumPy refuses."""
        dtype = self.dtype_of(x) if self.is_symbolic(x) else np.asarray(x).dtype
        if dtype.kind not in "iub" and np.size(x):
            self.refuse(f"NumPy raises a TypeError or IndexError: {dtype} as an index or a number "
                        "of items", hint="write int(x), or x.astype(int)")
        return self.cast(x, np.dtype(np.int64))

    @abstractmethod
    def truth_of_array(self, x: Any) -> Any:
        """Returns the truth of an array of one element, without dimensions."""

    def truth(self, x: Any) -> Any:
        """Returns the truth of a value, as a bool of the target without dimensions."""
        if isinstance(x, OneOf):
            return self.truth(self.apply(OPS["truth"], (x,), {}))
        return self.truth_of_array(bool(x) if x.__class__ in (tuple, list, dict) else x)

    def apply(self, op: Op, args: Sequence[Any], kwargs: dict[str, Any], kinds: Sequence[Any] = ()
              ) -> Any:
        """Returns the result of another op, of which a rule makes use."""
        if not any(map(self.is_symbolic, leaves((list(args), kwargs)))):
            with np.errstate(all="ignore"):
                return op.kernel(*args, **kwargs)
        given = list(kinds) or [self.kind_of_value(x) for x in args]
        return self._ruled(Site(op, tuple(args), Keywords(kwargs), given, []))

    @abstractmethod
    def length(self, x: Any) -> int | None:
        """Returns the length of an array's first axis; None: it has none that is known."""

    def rows(self, x: Any) -> Sequence[Any]:
        """Returns what a loop over an array or a list meets."""
        if isinstance(x, (list, tuple)):
            return x
        count = self.length(x)
        if not count or count > LONGEST:
            self.refuse("a long array as an iterable", hint="use NumPy's own function")
        return [self.apply(OPS["getitem"], (x, i), {}) for i in range(count)]

    @abstractmethod
    def branch(self, e: Equation, predicate: Any) -> Sequence[Any]:
        """Returns the results of a branch that the run decides."""

    @abstractmethod
    def loop(self, e: Equation) -> Sequence[Any]:
        """Returns the results of a loop."""

    # -- the walk ---------------------------------------------------------------------------------

    def run(self, graph: Graph) -> list[Any]:
        """Lowers the equations of a graph or region whose inputs are known; gives its outputs."""
        self.graph = self.graph or graph
        for value, captured in graph.captures.items():
            self.env[value] = captured
        for e in graph.equations:
            for value, found in zip(e.outputs, self.results_of(e), strict=True):
                if e.op is NOT:
                    self.opposites.note(found, self.read(e.args[0]))
                self.env[value] = found = self.fitted(found, value.type)
                self._note_kind(e, value, found)
        return [self.read(x) for x in graph.outputs]

    def fitted(self, x: Any, t: Type) -> Any:
        """Returns a result in the dtype that the graph knows of it."""
        kind = kind_of_type(t)
        dtype = t.dtype if isinstance(t, ArrayType) else None if kind is None else dtype_of(kind)
        if dtype is None or not self.is_symbolic(x) or isinstance(x, OneOf) or (
                self.dtype_of(x) == dtype):
            return x
        return self.cast(x, dtype)

    def region(self, graph: Graph, inputs: Sequence[Any], kinds: Sequence[Kind | None] = ()
               ) -> list[Any]:
        """Lowers a region for these inputs."""
        self.env.update(zip(graph.inputs, inputs, strict=True))
        for value, kind in zip(graph.inputs, kinds, strict=False):
            self.kinds.pop(value, None)
            if kind is not None:
                self.kinds[value] = kind
        return self.run(graph)

    def read(self, nest: Any) -> Any:
        """Returns a nest with what its values are."""
        return map_leaves(
            lambda x: self.env[x] if isinstance(x, Value) else
            x.value if isinstance(x, ClassAttribute) else x, nest)

    def leaf_nest(self, atom: Any) -> Any:
        """Returns what an atom is, with a `Leaf` for each of its leaves."""
        x = self.read(atom)
        if x.__class__ in (tuple, list, dict, Rows, OneOf):
            return self.leaves_in(x)
        return self.leaf(x, self.kind(atom))

    def leaves_in(self, x: Any) -> Any:
        """Returns a nest of values with a `Leaf` for each of its leaves."""
        return map_parts(lambda part: self.leaf(part, self.kind_of_value(part)), x)

    def leaf(self, x: Any, kind: Kind | None) -> Leaf:
        """Returns a leaf that a branch gives or a loop carries; its form, if it is symbolic."""
        if x.__class__ is slice and any(map(self.is_symbolic, leaves(x))):
            self.refuse("a slice is a result of a branch or loop")
        return NOTHING if is_absent(x) else Leaf(x, kind if self.is_symbolic(x) else None)

    def _note_kind(self, e: Equation, value: Value, found: Any) -> None:
        self.kinds.pop(value, None)
        if self.is_symbolic(found):
            kind = kind_of_type(value.type)
            if kind is None and (not isinstance(value.type, ArrayType) or value.type.dtype is None):
                kind = self.result_kind(e, value)
            if kind is not None:
                self.kinds[value] = kind

    def result_kind(self, e: Equation, value: Value) -> Kind | None:
        """Returns the kind of an elementwise result of Python numbers; None for others."""
        if e.op.ufunc is None or not e.op.dunder:
            return self.kinds.get(value)
        return self.kind_of_operator(e.op, [self.kind(a) for a in e.args], self.env[value])

    def kind_of_operator(self, op: Op, kinds: Sequence[Kind | None], found: Any) -> Kind | None:
        """Returns the kind of what an operator of Python's gives for Python numbers."""
        given = [k for k in kinds if k is not None]
        if op.ufunc is None or not op.dunder or len(given) < len(kinds) or any(
                isinstance(k, np.dtype) for k in given):
            return None
        return kind_of_result(op.ufunc, given, self.dtype_of(found))

    def kind(self, atom: Any) -> Kind | None:
        """Returns the kind of an atom of an equation; None for what is not a number."""
        if isinstance(atom, Value) and self.is_symbolic(self.env[atom]):
            known = self.kinds.get(atom)
            return known if known is not None else self.kind_of_value(self.env[atom])
        if isinstance(atom, (list, tuple)):
            return common_kind(map(self.kind, atom))
        return self.kind_of_value(self.env[atom] if isinstance(atom, Value) else atom)

    def kind_of_value(self, x: Any) -> Kind | None:
        """Returns the kind of a value that is no atom; None for what is not a number."""
        if self.is_symbolic(x):
            return None if isinstance(x, OneOf) else self.weak.get(id(x), (x, None))[1] or (
                self.dtype_of(x))
        if isinstance(x, (list, tuple)):
            return common_kind(map(self.kind_of_value, x))
        return kind_of_constant(x) if isinstance(x, NUMBERS) else None

    def results_of(self, e: Equation) -> Sequence[Any]:
        """Lowers an equation: returns its results."""
        with self.refusing(e):
            return self._lowered(e)

    @contextmanager
    def refusing(self, e: Equation | None) -> Iterator[None]:
        """Raises what cannot be lowered as the one error that names the operation and the line.

        Args:
          e: the equation that is lowered, or that made what is; None: an argument or a constant.
        """
        self.equation, self.line = e, (e and e.location) or self.line  # or that of the one before
        try:
            yield
        except ExportError:
            raise
        except NoForm as error:
            self.equation = e
            self.refuse(str(error), hint=error.hint)
        except RecursionError:
            self.refuse("the program calls itself, and only the run knows how often")
        except Exception as error:  # the target's or NumPy's own words
            self.equation = e
            first = str(error).strip().split("\n")[0]
            self.refuse(f"{type(error).__name__}: {first}", error)

    def _lowered(self, e: Equation) -> Sequence[Any]:
        if (branch := as_branch(e)) is not None:
            predicate = self.read(branch.predicate)
            if isinstance(predicate, OneOf):
                predicate = self.apply(OPS["truth"], (predicate,), {})
            if not self.is_symbolic(predicate):
                return self.run(branch.side(bool(predicate)))
            return self.branch(e, predicate)
        if (loop := as_loop(e)) is not None:
            items = self.read(loop.iterable) if loop.is_for else None
            return loops_by_things(self, e, loop, items) if isinstance(items, OneOf) else (
                self.loop(e))
        if (call := as_call(e)) is not None:
            return self._called(call.callee, self.read(call.arguments), e)
        args, kwargs = self.read(e.args), self.read(dict(e.kwargs))
        result = self.called(Site(e.op, args, Keywords(kwargs), [self.kind(a) for a in e.args],
                                  [v.type for v in e.outputs]))
        return (result,) if len(e.outputs) == 1 else list(result)

    def called(self, site: Site) -> Any:
        """Returns the result of a call: that of the kernel, if all operands are constants."""
        given = list(leaves((site.args, list(site.kwargs.values()))))
        if not site.op.effect and not any(map(self.is_symbolic, given)) and not any(
                is_absent(x) for x in given):
            with np.errstate(all="ignore"):
                return site.op.kernel(*site.args, **site.kwargs)
        if site.op.dunder and any(isinstance(x, (list, tuple)) for x in site.args) and not (
                site.types and isinstance(site.types[0], ArrayType)):
            self.refuse(f"{site.op.name} of a list, which Python may repeat or join",
                        hint="make an array of it: np.array(...)")
        return self._ruled(site)

    def _ruled(self, site: Site) -> Any:
        """Returns what the rule of an op makes of a call; refuses arguments that it leaves out."""
        if (things := one_of_operands(site)) is not None:
            return by_things(self, site, things)
        if site.op.ufunc is None and site.op not in CARRYING and any(
                isinstance(k, Mixed) and not k.is_exact for k in site.kinds):
            joined_dtype(*(k for k in site.kinds if k is not None))
        if self.checks == "refuse" and (
                error := certain_error(self, site.op, site.args, site.kwargs.unmarked)):
            self.refuse(f"NumPy raises {type(error).__name__}: {error}")
        result = self.rules(site.op)(self, site)
        if site.kwargs.unread:
            self.refuse(f"the argument {', '.join(sorted(site.kwargs.unread))} of {site.op.name}")
        return result

    def _called(self, callee: Graph, arguments: Sequence[Any], e: Equation) -> Sequence[Any]:
        if self.depth >= DEEPEST:
            raise RecursionError
        outer, self.env = self.env, dict(zip(callee.inputs, arguments, strict=True))
        kinds = {v: k for v, a in zip(callee.inputs, e.args, strict=True)
                 if (k := self.kinds.get(a) if isinstance(a, Value) else None) is not None}
        outer_kinds, self.kinds = self.kinds, kinds
        outer_graph, self.graph = self.graph, callee
        self.depth += 1
        try:
            return self.run(callee)
        finally:
            self.depth -= 1
            self.env, self.kinds, self.graph = outer, outer_kinds, outer_graph

    # -- one of two values ------------------------------------------------------------------------

    @abstractmethod
    def joined_leaf(self, a: Leaf, b: Leaf) -> Leaf:
        """Returns the leaf of what is one of two: a constant, or a symbolic value of a form."""

    @abstractmethod
    def given(self, outputs: Sequence[Any], plan: Plan) -> list[Any]:
        """Returns the symbolic leaves of values, nests of `Leaf`s, in the forms of a plan."""

    @abstractmethod
    def kind_of_form(self, form: Any) -> Kind:
        """Returns the kind of a value of a form."""

    def joined_side(self, a: Leaf, b: Leaf) -> Leaf:
        """Returns the leaf of what a branch gives; see `with_test`."""
        return of_test(a, b) or self.joined_leaf(a, b)

    def with_test(self, plan: Plan, test: Any) -> Plan:
        """Returns the plan of a branch with its test: so later branches on it are known to take the
        same side, and what this one gives is known there."""
        return plan.with_test(test, lambda: opposite(self, test))

    def filled(self, plan: Plan, found: Sequence[Any]) -> list[Any]:
        """Returns the values of a plan, for its symbolic leaves."""
        return plan.filled([self.of_kind(x, self.kind_of_form(leaf.form)) for x, leaf in zip(
            found, plan.symbolic, strict=True)])

    def of_kind(self, x: Any, kind: Kind) -> Any:
        """Returns a symbolic value that has the dtype of a kind, as one of that kind."""
        if self.is_symbolic(x) and not isinstance(kind, np.dtype):
            self.weak[id(x)] = x, kind
        return x

    def selected(self, test: Any, one: Any, other: Any) -> Any:
        """Returns one nest where a test holds, and another where it does not."""
        one, other = ([self.leaves_in(x)] for x in (one, other))
        plan = self.with_test(Plan.joined(one, other, self.joined_side, self.has_rows), test)
        sides = zip(self.given(one, plan), self.given(other, plan), strict=True)
        return self.filled(plan, [self._one_of(test, a, b) for a, b in sides])[0]

    def _one_of(self, test: Any, a: Any, b: Any) -> Any:
        if None in a.shape:
            self.refuse("an item is one of arrays whose shapes differ, or that only the run knows")
        return self.apply(OPS["where"], (test, a, b), {})

    # -- refusals ---------------------------------------------------------------------------------

    def refuse(self, reason: str, cause: BaseException | None = None, hint: str = "") -> NoReturn:
        """Raises the error for the equation that is being lowered.

        Raises:
          ExportError: always.
        """
        e = self.equation
        name = self.graph.name if self.graph is not None else "the function"
        what = f"a result of {name}" if e is None else shown_op(e.op.name)
        raise ExportError(f"{what} has no form in {self.target} here: {reason}", hint,
                          e and (e.location or self.line)) from cause

    def of_paths(self, *kinds: Kind, told: str = PATHS) -> Kind:
        """Returns the kind of a value that is of one kind on one path, of another on the other."""
        joined = kinds[0]
        for kind in kinds[1:]:
            found = of_either(joined, kind)
            if found is None:
                self.refuse(told.format(dtype_of(joined), dtype_of(kind)),
                            hint="bring both to one dtype, as with x.astype(np.float64)")
            joined = found
        return joined

    def where(self, flag: Any) -> AbstractContextManager[None]:
        """A block of what is computed for one of several things, of which a flag says if it is the
        one: only then it may raise."""
        return nullcontext()

    def raising(self, e: Equation) -> bool:
        """Returns True if a region's equation always raises, and such errors are left out."""
        if e.op.never_returns:
            with self.refusing(e):
                self.check()
        return e.op.never_returns

    def may_be_unbound(self) -> bool:
        """Returns True if the value that the equation reads may be that of an unbound name.

        A marker without a name stands in a variable of the compiler's: it is read only where it is
        bound.
        """
        assert self.graph is not None and self.equation is not None
        same, _ = links_of(self.graph, lambda e, v: ())
        reached = closure([x for x in self.equation.args[:1] if isinstance(x, Value)], same)
        return any(is_undefined(x) and x.name and not isinstance(x, ClassAttribute)
                   for v in reached for x in same.get(v, ())) or any(
            is_maybe_undefined(v.type) for v in reached.intersection(self.graph.inputs))

    def assume(self, test: Any, truth: bool) -> None:
        """Notes that a test holds, or does not: what is one of several things may be known then."""
        for v, x in self.env.items():
            if isinstance(x, OneOf):
                self.env[v] = self.opposites.known(x, test, truth)

    def check(self) -> None:
        """Refuses an error that the graph may raise, unless errors are to be left out."""
        if self.checks == "refuse":
            self.refuse(f"{self.target} cannot raise Python's exceptions",
                        hint='checks="drop" leaves out what may raise; the result is then not '
                             "defined where the function raises")


@contextmanager
def scoped(lowering: Lowering) -> Iterator[None]:
    """Restores what is known of values, and what was lowered and failed."""
    kept = lowering.env, lowering.kinds, lowering.equation, lowering.failed
    lowering.env, lowering.kinds = dict(lowering.env), dict(lowering.kinds)
    try:
        yield
    finally:
        lowering.env, lowering.kinds, lowering.equation, lowering.failed = kept


def shown(x: Any) -> str:
    """A value as a message names it.

    >>> shown(None), shown("a"), shown([1])
    ('None', 'a str', 'a list')
    """
    return "None" if x is None else f"a {type(x).__name__}"


def is_everything(index: Any) -> bool:
    """Returns True for an index of all elements.

    >>> is_everything(...), is_everything((..., slice(None))), is_everything(0)
    (True, True, False)
    """
    parts = index if isinstance(index, tuple) else (index,)
    return any(p is Ellipsis or p.__class__ is slice for p in parts) and all(
        p is Ellipsis or (p.__class__ is slice and p == slice(None)) for p in parts)
