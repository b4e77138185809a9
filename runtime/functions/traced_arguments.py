"""Traced arguments: tensors in place of arrays, and what becomes of the caller's containers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from autograph.own_attributes import class_has
from autograph.runtime.heap.escaping_functions import Escape, made_by_run
from autograph.runtime.heap.escaping_objects import (
    Unstaged,
    how_to_make,
    is_new_iterator,
    is_new_view,
    is_symbolic_object,
    keeping_class,
    refuse_hidden,
    shared_containers,
    unstage_attributes,
)
from autograph.runtime.heap.functions_of_run import known_of_run, note_of_run, of_run
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.hidden_state import check_shared, refuse_shared
from autograph.runtime.heap.joined_copies import has_identity
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.locations import File, is_file
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.new_objects import is_made_again, is_new_key
from autograph.runtime.heap.objects import can_be_built, copied, is_instance, is_known, is_object
from autograph.runtime.heap.run_time_containers import as_object, new_object
from autograph.runtime.heap.selected_objects import SelectedObject, as_value
from autograph.runtime.heap.snapshot import Snapshot
from autograph.runtime.heap.tuples_of_run import is_tuple, new_tuple, of_the_run
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.frame_state import Captured, Given, Selection
from autograph.runtime.ir.graph import PLAIN, Equation, Value
from autograph.runtime.ir.pytree import (
    all_leaves,
    before_pairs,
    children,
    flatten,
    is_immutable_nest,
    is_mutable_data_class,
    map_nest,
)
from autograph.runtime.ir.types import is_maybe_undefined
from autograph.runtime.ops import by_function
from autograph.runtime.ops.opaque import pure
from autograph.runtime.signatures.binding import FUNCTIONS, PERSISTENT, Bound, Leaf
from autograph.runtime.signatures.cache_keys import Growing, OfCode, Stateful
from autograph.runtime.signatures.filler import Filler, LeafRef, is_mutable
from autograph.runtime.signatures.weak_functions import strongly
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle
from autograph.runtime.symbolic.allocation_sites import Allocations, is_plain_container, parts_of
from autograph.runtime.symbolic.tensor import LOWERED, Tensor, apply, lower
from autograph.runtime.symbolic.variables import Itself, Variable, refuse_argument


class Arguments:
    """The symbolic arguments of one trace.

    nest     what the function is called with, by parameter name.
    inputs   the graph's inputs, one for each leaf.
    files    the files in memory among the arguments, and what they held.
    given    the caller's containers that the function may change; before: copies of them.
    is_outside  tells an array that the function finds outside itself, or a view of one.
    name_of  gives the name in the graph for a leaf's hint; it is not kept.
    known    the ids of the containers and of the objects' attributes that it finds there.
    views    the equations that make escaping views of written arguments.
    tuples   the tuples in objects and iterators that leave.
    """

    def __init__(self, bound: Bound, is_outside: Callable[[Any], bool],
                 name_of: Callable[[str], str]) -> None:
        self.is_outside = is_outside
        self.inputs = tuple(Value(x.graph_type, name_of(x.hint)) for x in bound.leaves)
        tensors = list(map(Tensor, self.inputs))
        self.handles = {t._handle: v for t, v in zip(tensors, self.inputs, strict=True)}
        leaves = [_argument(leaf, t) for leaf, t in zip(bound.leaves, tensors, strict=True)]
        self.growing = {id(x): x for x in leaves if type(x) is StagedList}
        self.callables = {id(x): (x, t) for x, t in zip(leaves, tensors, strict=True)
                          if type(x) is FunctionType}
        sets: dict[int, set[Any]] = {}
        fill = Filler(lambda x: leaves[x.index] if isinstance(x, LeafRef) else (
            sets.setdefault(id(x), set(x)) if type(x) is set else x))
        self.nest = {name: fill(x) for name, x in bound.nest.items()}
        self.named = [(name, fill.made.get(id(x), (x, x))[1]) for name, x in bound.named]
        self.files = Snapshot.take(map(File, filter(is_file, self.objects())))
        self.given = list(_containers(tuple(self.nest.values()), set()))
        self.before = [copied(c) for c in self.given]
        self.known: Collection[int] = ()
        self.rebuilt: dict[int, tuple[Any, Tensor | None]] = {}
        self.views: dict[Handle, Equation] = {}
        self.tuples: list[Any] = []
        self.copies: dict[int, tuple[Any, Tensor]] = {}
        self.unstaged = Unstaged(lambda x: self._is_kept(x) or id(x) in self.growing)
        self.shared: dict[int, Any] = {}
        self.left: dict[int, Any] = {}
        self.functions: dict[int, tuple[Any, Tensor]] = {}
        self._callers = frozenset(map(id, self.given))

    def register(self, allocations: Allocations) -> None:
        """Registers the containers that the function is given, by name."""
        for name, x in self.named:
            if name == FUNCTIONS or (not name.startswith(PERSISTENT) and (
                    has_identity(x) or is_immutable_nest(x))):
                allocations.arguments.setdefault(id(x), (x, name))
        allocations.before = frozenset(map(id, self.given))

    def objects(self) -> Iterator[Any]:
        """Yields the objects that the function is given, but for what they hold."""
        return (x for name, nest in self.nest.items() if name != PERSISTENT for x in flatten(nest))

    def refuse_changed_files(self) -> None:
        """Refuses a function that moves or writes a file in memory, an argument, while it is
        traced: the next call would not do so. Puts the file back.

        Raises:
          TracingError: it did so by a function that the graph does not call.
        """
        for file, before, _ in self.files.changes():
            file.write(before)
            raise TracingError(
                f"a {type(file.owner).__name__} that is an argument is read or written by a "
                "function that the graph does not call\n"
                "  hint: read and write it by its own methods, or call the function through "
                "ag.py_function")

    def written(self) -> tuple[tuple[Value, Any], ...]:
        """Returns the arrays that the function changed, and what they hold now."""
        return tuple((v, h.read()) for h, v in self.handles.items() if h.read() is not v)

    def refilled(self) -> tuple[tuple[int, Any], ...]:
        """Returns the containers that the function changed, by number, and what is in them now."""
        pairs = enumerate(zip(self.given, self.before, strict=True))
        changed = [(i, copied(c)) for i, (c, old) in pairs if not same_items(c, old)]
        return tuple((i, self.result(c, inside=True, lasting=True)) for i, c in changed)

    def exchanged(self) -> Iterator[tuple[Any, Any]]:
        """Yields the changed containers of the caller: what they held before, and hold now."""
        return ((old, c) for c, old in zip(self.given, self.before, strict=True)
                if not same_items(c, old))

    def persistent(self, nest: Any) -> Any:
        """Returns a nest for a location outside: as `result`, but a variable may be unbound."""
        if isinstance(nest, Tensor) and is_maybe_undefined(nest._handle.value.type):
            return nest.read()
        return self.result(nest, lasting=True)

    def returned(self, nest: Any) -> Any:
        """Returns what the function returns, and runs the iterators in it, which may raise."""
        for x in flatten(self.unstaged(nest)):
            if is_new_iterator(x):
                self._rebuilt(x)
        return nest  # its lists are still those that joins copied

    def held(self) -> Iterator[Any]:
        """Yields what the caller's containers hold now."""
        return (x for c in self.given for x in (children(c) or ((), ()))[1])

    def share(self, made: Any, outside: list[Any], visited: Collection[Any] = (),
              left_by_trace: dict[int, Any] | None = None) -> None:
        """Finds the new containers that leave the function in two places, and are one; the new
        objects that only the result leads to; and the functions that the run makes.

        made: what the function returns; outside: what it left in the locations outside;
        visited: what it led to before; left_by_trace: by id, what the trace itself left outside.
        """
        self.left = left_by_trace or {}
        self.functions = made_by_run([made, *self.held(), *outside], visited, Escape(
            self.unstaged, self._is_new, self._part, lambda x: id(x) in self.left))
        note_of_run(self.functions)
        self.shared = shared_containers(
            [made, *self.held(), *outside], {*self.known, *self._callers}, self.unstaged)

    def result(self, nest: Any, inside: bool = False, lasting: bool = False) -> Any:
        """Returns an escaping nest: values for tensors, references to the caller's containers.

        lasting: it stays in a location outside, where a variable is the variable itself; as a
        result it is the value.
        """
        marked = self._mark(nest, skip=inside)
        return map_nest(self._staying if lasting else self._escaping, marked)

    def _staying(self, leaf: Any) -> Any:
        if not isinstance(leaf, Variable):
            return self._escaping(leaf)
        refuse_argument(leaf)
        return Captured(leaf)

    def _mark(self, nest: Any, skip: bool = False) -> Any:
        if not skip and id(nest) in self._callers:
            return Given(next(n for n, x in enumerate(self.given) if x is nest))
        if not skip and self._is_kept(nest):
            return Captured(nest)
        self._refuse_growing(nest)
        nest = self.unstaged(nest)
        if not skip and id(nest) in self.left and is_plain_container(nest):
            return Captured(nest)  # the trace itself stored it
        if id(nest) in self.functions:
            return self.functions[id(nest)][1]
        if (known := of_the_run(nest)) is not None:
            return known
        if id(nest) in self.shared or self._has_new_keys(nest):
            return self._rebuilt(nest)
        found = children(nest)
        if found is None:
            return nest
        parts = list(map(self._mark, found[1]))
        return found[2](list(map(_unchecked, parts)) if isinstance(nest, Selection) else parts)

    def _is_kept(self, x: Any) -> bool:
        """Returns True for a container, or an object of a data class, that was there before."""
        if is_plain_container(x):
            return id(x) in self._callers or id(x) in self.known
        return is_mutable_data_class(x) and (id(x) in self._callers or is_known(x, self.known))

    def _escaping(self, leaf: Any) -> Any:
        """Returns what an escaping leaf is in the graph.

        An argument is the caller's own array; a variable, or an array that the function made while
        it was traced, is copied for every call.
        """
        if isinstance(leaf, Variable):
            return lower(leaf.value())
        if isinstance(leaf, Tensor) and leaf._handle in self.handles:
            leaf.read()
            return self.handles[leaf._handle]
        if isinstance(leaf, Tensor) and self._is_written(leaf._handle.root):
            leaf.read()
            return self._view(leaf._handle)
        if isinstance(leaf, np.ndarray) and not self.is_outside(leaf):
            return lower(self._copied(leaf))
        if self._is_rebuilt(leaf):
            return lower(self._rebuilt(leaf))
        if (made := known_of_run(leaf)) is not None:
            return lower(made)
        if class_has(type(leaf), "__ag_leave__"):
            leaf.__ag_leave__()
        unstage_attributes(leaf, self.known, self.unstaged)
        if isinstance(leaf, (Tensor, np.ndarray)) or type(leaf) in LOWERED:
            return lower(leaf)
        self._refuse_hidden(leaf)
        return leaf

    def _refuse_hidden(self, leaf: Any) -> None:
        if not (isinstance(leaf, (Tensor, np.ndarray, Given, Captured)) or type(leaf) in LOWERED
                or is_plain_container(leaf) or is_known(leaf, self.known)):
            refuse_hidden(leaf)
            refuse_shared(leaf)
            if id(leaf) not in self.left:
                check_shared(leaf)

    def _copied(self, array: np.ndarray) -> Tensor:
        """Records a copy of an array that the function made while it was traced."""
        if id(array) not in self.copies:
            self.copies[id(array)] = array, apply(
                by_function[np.copy], array, **keeping_class(array))
        return self.copies[id(array)][1]

    def _is_written(self, handle: Handle) -> bool:
        return handle in self.handles and handle.read() is not self.handles[handle]

    def _view(self, handle: Handle) -> Value:
        """Returns a view of a caller's array, made after the array was written."""
        if handle.base is None:
            return self.handles[handle]
        if handle not in self.views:
            assert handle.step is not None
            op, args, kwargs = handle.step.call()
            made = Value(handle.value.type, handle.value.hint)
            self.views[handle] = Equation(
                op, (self._view(handle.base), *args), kwargs, (made,))
        return self.views[handle].outputs[0]

    def _rebuilt(self, leaf: Any) -> Tensor:
        """Records what makes an object, deque or iterator, or a shared container, that the
        function made."""
        if id(leaf) not in self.rebuilt:
            self.rebuilt[id(leaf)] = leaf, None
            self.rebuilt[id(leaf)] = leaf, self._made_anew(leaf)
        made = self.rebuilt[id(leaf)][1]
        if made is None:
            raise TracingError(f"an object of the class {type(leaf).__name__} that refers to "
                               "itself, and holds symbolic values, leaves the function\n"
                               "  hint: return its values, and make it outside")
        return made

    def _made_anew(self, x: Any) -> Tensor:
        if type(x) is list:
            return new_object(list, tuple(map(self._part, x)))
        if isinstance(x, (tuple, slice)) and is_immutable_nest(x):
            return new_tuple(x, list(map(self._part, parts_of(x) or ())))
        if isinstance(x, dict) and children(x) is not None:
            pairs = tuple((self._part(key), self._part(held)) for key, held in x.items())
            return new_object(type(x), *before_pairs(x), pairs)
        if not self._is_symbolic(x) and is_plain_container(x):
            return as_object(x)  # type: ignore[no-any-return]  # another one for each call
        refuse_hidden(type(x))
        make, parts = how_to_make(x)
        return apply(pure(make), *(_unchecked(self._part(p)) for p in parts))  # type: ignore[no-any-return]

    def _part(self, x: Any) -> Any:
        """Returns what an object or a container is made of: nothing that is mutable in it is
        copied."""
        self._refuse_growing(x)
        x = self.unstaged(x)
        if self._is_kept(x):
            need_object(x, "is in an object that leaves the function")
        if isinstance(x, Tensor) and self._is_written(x._handle.root):
            trace.need_references("an array is written, and is in an object that leaves")
        if id(x) in self.functions:
            return self.functions[id(x)][1]
        if (known := of_the_run(x)) is not None:
            return known
        if is_immutable_nest(x):
            self.tuples.append(x)
        if self._holds_twice(x):
            return self._rebuilt(x)
        if self._is_rebuilt(x) or id(x) in self.shared or self._has_new_keys(x):
            return self._rebuilt(x)
        if isinstance(x, FunctionType):
            return of_run(x)
        if isinstance(x, Variable):
            return Itself(x)
        if isinstance(x, Selection):
            return as_value(SelectedObject(*map(self._part, x.parts)))
        if isinstance(x, np.ndarray) and not self.is_outside(x):
            return self._copied(x)
        found = children(x)
        if found is not None and isinstance(x, dict) and type(x) is not dict:
            return self._rebuilt(x)
        if found is None:
            self._refuse_hidden(x)
        return x if found is None else found[2](list(map(self._part, found[1])))

    def _holds_twice(self, x: Any) -> bool:
        """Returns True for a new tuple, which an iterator or an object may hold twice."""
        return is_tuple(x) and not all(type(v) in PLAIN for v in all_leaves(x))

    def _has_new_keys(self, x: Any) -> bool:
        """Returns True for a dict with a key that each call makes."""
        return isinstance(x, dict) and any(map(is_new_key, x)) and id(x) not in self.left

    def _refuse_growing(self, x: Any) -> None:
        """Refuses a list that only its location outside holds by value: it has to be an object."""
        if id(x) in self.growing:
            need_object(x, "grows from call to call, and leaves the function by another way")

    def _is_rebuilt(self, x: Any) -> bool:
        """Returns True for what the graph makes as a whole: new objects, sets, deques."""
        if self._is_symbolic(x) or is_new_view(x, self.known):
            return True
        return not is_known(x, self.known) and (
            children(x) is None if is_plain_container(x) else
            ((is_object(x) and can_be_built(x)) or is_made_again(x)) and id(x) not in self.left)

    def _is_new(self, x: Any) -> bool:
        """Returns True for a container or an object that the function made, and every run makes."""
        if self._is_kept(x) or id(x) in self.growing or is_new_iterator(x):
            return False
        if id(x) in self.left:
            return self._is_symbolic(x)
        if is_object(x) or is_instance(x) or is_new_view(x, self.known) or is_made_again(x):
            return is_mutable_data_class(x) or self._is_rebuilt(x)
        return is_plain_container(x) or (
            (isinstance(x, Selection) or is_immutable_nest(x)) and children(x) is not None)

    def _is_symbolic(self, x: Any) -> bool:
        return is_new_iterator(x) or is_symbolic_object(x, self.known)


def _unchecked(nest: Any) -> Any:
    """Returns a part of a selection, with the values of variables that may be unbound: they are
    bound if it is selected."""
    return map_nest(lambda x: x.read() if isinstance(x, Tensor) and is_maybe_undefined(
        x._handle.value.type) else x, nest)


def _argument(leaf: Leaf, tensor: Tensor) -> Any:
    if isinstance(leaf.type, Growing):
        return StagedList([Splice(tensor)])
    if isinstance(leaf.type, Stateful):
        return Variable.of_argument(tensor, leaf.type.type, leaf.hint)
    if isinstance(leaf.type, OfCode):
        return strongly(leaf.value)
    return tensor


def _containers(nest: Any, seen: set[int]) -> Iterator[Any]:
    """Yields the containers that the function may change, each once, in `bind`'s order."""
    if is_mutable(nest):
        if id(nest) in seen:
            return
        seen.add(id(nest))
        yield nest
    found = children(nest)
    if found is not None:
        for c in found[1]:
            yield from _containers(c, seen)


def same_items(a: Any, b: Any) -> bool:
    """Returns True if two containers hold the same objects."""
    left, right = children(a), children(b)
    if left is None or right is None:  # sets
        return bool(a == b)
    return left[0] == right[0] and all(x is y for x, y in zip(left[1], right[1], strict=True))
