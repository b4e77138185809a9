"""The backend of tensors: what each operator records."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.conversion.conversion_rules import MARKED, is_generated
from autograph.decorated import dispatcher_of
from autograph.libraries import is_library, is_of_library, is_python
from autograph.operators.builtins import OF_OBJECTS
from autograph.operators.control_flow import no_branch
from autograph.operators.logical import and_, in_, or_
from autograph.own_attributes import MADE_BY_CLASS_STATEMENTS, class_has, held
from autograph.runtime.control_flow import cond as control
from autograph.runtime.heap import (
    made_arrays,
    plain_containers,
    run_time_containers,
    store_targets,
)
from autograph.runtime.heap.attributes_in_c import storing
from autograph.runtime.heap.growing_lists import StagedList, holds_symbols
from autograph.runtime.heap.hidden_state import followed, has_hidden_state, note_maker
from autograph.runtime.heap.iterators import is_iterator, read_by_cursor
from autograph.runtime.heap.joined_copies import give_up_if_changed
from autograph.runtime.heap.kept_functions import is_resumed_by_run, refuse_finalizer
from autograph.runtime.heap.objects import is_instance
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.types import DynamicType, PyType
from autograph.runtime.replacements.closed_libraries import (
    asked_by_the_run,
    closed,
    is_refused,
    read_anew,
    told_by_the_run,
)
from autograph.runtime.replacements.functions import is_text_of_run
from autograph.runtime.replacements.outside_world import may_change
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging import loops as staged_loops
from autograph.staging import unpacking
from autograph.staging.attributes import check_own, class_of, known_names
from autograph.staging.builtins import BUILTINS
from autograph.staging.cursor_loops import found_in
from autograph.staging.functools_ import called_cached
from autograph.staging.generator_functions import generated
from autograph.staging.generators import Generated, Items, all_of, made_by_python
from autograph.staging.identity import same
from autograph.staging.iteration import comprehension, is_opened
from autograph.staging.iterator_builtins import with_opened
from autograph.staging.joins import joined
from autograph.staging.library_functions import dispatch_on
from autograph.staging.matches import is_structure_known, parts_of_known, to_match
from autograph.staging.operand_chains import LONG, in_groups
from autograph.staging.plain_loops import call_plain, run_plain, use_plain
from autograph.staging.plain_types import NOT_LAZY
from autograph.staging.resumed_generators import item_or_end, to_read

Fn = Callable[..., Any]


def _is_inherited(function: Any, owner: Any) -> bool:
    """Returns True for a method that an object of the user's class has from Python's library."""
    return isinstance(function, MethodType) and is_python(
        function.__func__.__module__) and not is_python(type(owner).__module__)


def _may_change_as_written(f: Any) -> bool:
    """Returns True for a function of the user's of which no conversion was made, such as one that
    `exec` made and a coroutine, and that may answer otherwise in another run."""
    f = held(f, "__func__", f)
    if type(f) is not FunctionType or is_generated(f.__code__) or f in MARKED or (
            dispatcher_of(f) is not None):
        return False
    where = held(f, "__globals__").get("__name__")  # a wrapper has the module of what it wraps
    return not (is_of_library(f) or is_library(where)) and may_change(f)


class TensorBackend:
    """Records in the current trace what an operator does with a tensor."""

    def cond(self, pred: Any, true_fn: Fn, false_fn: Fn, operands: tuple[Any, ...]) -> Any:
        for branch in (true_fn, false_fn):
            if isinstance(branch, Tensor) and (cls := class_of(branch)) and (
                    not issubclass(cls, Callable)):
                raise no_branch(cls)
        return control.cond(pred, true_fn, false_fn, *operands)

    def given(self, module: str, name: str) -> Any:
        return read_anew(module, name)

    def test(self, test: Fn, state: tuple[Any, ...]) -> Any:
        return staged_loops.test_value(test, state)

    def plain_loop(self, items: Any, body: Fn, state: tuple[Any, ...], test: Fn | None,
                   turns: int) -> Any:
        give_up_if_changed()
        return run_plain(items, body, state, test, turns)

    def plain_call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return call_plain(function, args, kwargs)

    def dispatch(self, function: Any, cls: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
                 ) -> Any:
        return dispatch_on(function, cls, args, kwargs)

    def closed(self, function: Any, as_written: bool) -> Fn | None:
        here = trace.current_region()
        if here is None:
            return None
        if isinstance(function, type):
            refuse_finalizer(function)
        if here.trace.mode.closed and is_refused(function, as_written, here.trace.mode.closed):
            return closed(function)
        note_maker(function)
        owner = held(function, "__self__")
        if not as_written:
            return None
        if type(function) is FunctionType and is_library(function.__module__):
            return told_by_the_run(function)
        if not (isinstance(function, BuiltinMethodType) or _is_inherited(function, owner)):
            return asked_by_the_run(function) if _may_change_as_written(function) else None
        if type(owner) is ModuleType:
            return told_by_the_run(function)
        if has_hidden_state(owner):
            return followed(function, owner, asked_by_the_run(function))
        return asked_by_the_run(function) if is_resumed_by_run(owner) else None

    def while_loop(self, test: Fn, body: Fn, loop_vars: tuple[Any, ...],
                   options: Mapping[str, Any]) -> tuple[Any, ...]:
        return staged_loops.while_loop(test, body, loop_vars)

    def for_loop(self, iterable: Any, body: Fn, loop_vars: tuple[Any, ...], test: Fn | None,
                 unroll: bool | None = None) -> Any:
        return staged_loops.for_loop(iterable, body, loop_vars, test, unroll)

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        if len(lazy) > LONG:
            return in_groups(and_, first, lazy)
        return control.cond(first, lambda: and_(lazy[0](), *lazy[1:]), lambda: first)

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        if len(lazy) > LONG:
            return in_groups(or_, first, lazy)
        return control.cond(first, lambda: first, lambda: or_(lazy[0](), *lazy[1:]))

    def truth(self, x: Any) -> Any:
        return apply("truth", x) if _may_notice(x) else x

    def not_(self, x: Any) -> Any:
        control.check_predicate(x)
        return apply("not_", x)

    def in_(self, item: Any, container: Any) -> Any:
        if type(item) is SelectedObject:
            return item.each(lambda one: in_(one, container))
        if isinstance(container, (Generated, Items)) or is_opened(container) or (
                trace.tracing() and is_iterator(container)):
            return found_in(item, container)
        if holds_symbols(item) or isinstance(container, Tensor) or (
                isinstance(container, (list, tuple, deque)) and holds_symbols(
                    list(container) if isinstance(container, deque) else container)):
            return plain_containers.member(item, container)
        return NotImplemented

    def is_(self, x: Any, other: Any) -> Any:
        return same(x, other)

    def is_none(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return False  # a list or an iterable
        if isinstance(x.type, PyType):
            return x.type.cls is type(None)
        return apply("is_none", x) if isinstance(x.type, DynamicType) else False

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        def fail() -> None:
            raise AssertionError(*(() if message is None else (message(),)))

        control.cond(test, all_of, fail)

    def raise_(self, error: Any, cause: tuple[Any, ...]) -> None:
        if any(isinstance(x, Tensor) for x in (error, *cause)):
            control.raise_value(error, *cause)

    def getitem(self, container: Any, index: Any) -> Any:
        made = joined(container, index)
        if made is not NotImplemented:
            return made
        own = isinstance(container, (Tensor, SelectedObject)) or (is_instance(container) and type(
            getattr(type(container), "__getitem__", None)) is FunctionType)
        return container[index] if own else plain_containers.item_of_plain(container, index)

    def formatted(self, template: str, values: tuple[Any, ...]) -> Any:
        return apply("formatted", template, *values) if is_text_of_run(values) else NotImplemented

    def percent(self, template: str, values: Any) -> Any:
        return apply("percent", template, values) if is_text_of_run(values) else NotImplemented

    def to_match(self, subject: Any) -> Any:
        return to_match(subject)

    def match_parts(self, subject: Any, parts_of: Fn) -> Any:
        return parts_of_known(subject, parts_of) if is_structure_known(subject) else (
            closed(parts_of)(subject))

    def new_list(self, items: list[Any]) -> Any:
        if isinstance(items, Tensor):
            return items
        return run_time_containers.new_container(StagedList(items))

    def new_container(self, value: Any) -> Any:
        return run_time_containers.new_container(made_arrays.new_array(value))

    def new_array(self, value: Any) -> Any:
        return made_arrays.new_array(value)

    def new_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        return run_time_containers.new_dict(pairs)

    def new_set(self, items: list[Any]) -> Any:
        return run_time_containers.new_set(items)

    def check_key(self, container: Any, index: Any) -> None:
        plain_containers.check_key(container, index)

    def check_names(self, scope: Mapping[str, Any]) -> None:
        known_names(scope)

    def check_attribute(self, owner: Any, name: str) -> None:
        check_own(owner, name)

    def note_target(self, container: Any, *key: Any) -> Any:
        store_targets.note_target(container, *key)
        if not key:
            plain_containers.check_key(container, slice(None))
        return storing(container, *key)

    def to_read(self, iterable: Any) -> Any:
        return to_read(iterable)

    def item_or_end(self, source: Any, position: Any) -> tuple[Any, Any]:
        return item_or_end(source, position)

    def note_update(self, owner: Any, value: Any, *key: Any) -> Any:
        return plain_containers.check_update(owner, value, *key)

    def note_rebound(self, names: tuple[str, ...]) -> None:
        store_targets.note_rebound(names)

    def spread(self, kind: str, parts: tuple[tuple[bool, Any], ...]) -> Any:
        return unpacking.spread(kind, parts)

    def call_spread(self, function: Fn, parts: tuple[tuple[bool, Any], ...],
                    mappings: tuple[tuple[str | None, Any], ...], kwargs: Mapping[str, Any]) -> Any:
        return unpacking.call_spread(function, parts, mappings, kwargs)

    def unpack_rest(self, x: Any, before: int, after: int) -> Any:
        return unpacking.unpack_rest(x, before, after)

    def compare(self, function: Fn, a: Any, b: Any) -> Any:
        return unpacking.compare(function, a, b)

    def comprehension(self, kind: type | None, fn: Fn, items: Any, where: Fn | None,
                      nested: bool) -> Any:
        return comprehension(kind, fn, items, where, nested)

    def generator(self, function: Fn, push: Callable[[], Fn | None], args: tuple[Any, ...],
                  kwargs: Mapping[str, Any]) -> Any:
        return generated(function, push, args, kwargs)

    def cached(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        return called_cached(function, args, kwargs)

    def bound(self, value: Any, free: bool) -> Any:
        return value.bound(free) if isinstance(value, Tensor) else value

    def builtin(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if function not in OF_OBJECTS:
            args = tuple(x.__ag_read__() if class_has(type(x), "__ag_read__") else x for x in args)
        staged = BUILTINS.get(function)
        if staged is None:
            return NotImplemented
        if function in NOT_LAZY and (
                made := use_plain(function, args, kwargs)) is not NotImplemented:
            return made
        read = with_opened(function, args)
        made = staged(*read, **kwargs)
        return made_by_python(function, read, kwargs) if made is NotImplemented else (
            read_by_cursor(made))


def _may_notice(x: Any) -> bool:
    """Returns True for a symbolic value that may be of a class of the user's, which may count how
    often it is asked if it is true."""
    if not isinstance(x, Tensor):
        return False
    t = x.type
    return isinstance(t, DynamicType) or (
        isinstance(t, PyType) and bool(t.cls.__flags__ & MADE_BY_CLASS_STATEMENTS))


BACKEND = TensorBackend()
"""The backend of tensors; it is active while a trace is being made."""
