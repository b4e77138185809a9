"""Assembly: joins the compiler and the runtime. All tables and extension points are filled here.

Importing this module does it: when the façade is asked for a name that needs both, or when an
extension point is called that is not filled yet.
"""

from __future__ import annotations

import builtins
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from types import MethodDescriptorType, WrapperDescriptorType
from typing import Any

from autograph.conversion import code_cache, convert
from autograph.conversion.conversion_rules import (
    CLASS_METHODS,
    CLOSED_LIBRARIES,
    FAMILIES,
    FUNCTIONS_IN_C,
    LATE_REPLACEMENTS,
    LIBRARIES,
    LIBRARY_METHODS,
    OUTSIDE_WORLD,
)
from autograph.conversion.special_methods import CHECKS, REPLACED, own_method
from autograph.extension_points import POINTS
from autograph.operators import builtins as operators
from autograph.operators import dispatch
from autograph.operators.variables import Undefined
from autograph.own_attributes import held
from autograph.ported import heaps, notes
from autograph.runtime.control_flow import cond, recursion
from autograph.runtime.heap import (
    constant_operands,
    copied_operands,
    growing_lists,
    iterators,
    kept_functions,
    lifetimes,
    plain_containers,
    run_time_containers,
    store_targets,
    streams,
)
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.heap.selected_objects import SelectedObject, as_value
from autograph.runtime.ir.pytree import LEAVES
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.ir.undefined import MARKERS
from autograph.runtime.replacements import (
    closed_libraries,
    functions,
    outside_world,
    process_state,
    random_generators,
)
from autograph.runtime.symbolic import numpy_protocols, tensor, text_values, trace
from autograph.runtime.symbolic import operators as tensor_operators
from autograph.runtime.symbolic.started_threads import watch_starts
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import Variable
from autograph.runtime.tensor_methods import attributes, instance, ndarray
from autograph.staging import iterator_attributes, library_functions
from autograph.staging.attributes import NumberMethod, init_again
from autograph.staging.builtins import slice_
from autograph.staging.functools_ import FUNCTOOLS
from autograph.staging.generator_functions import Pushed
from autograph.staging.generators import Generated, Items, Stepped
from autograph.staging.iterator_attributes import BY_NAME, ITERATORS
from autograph.staging.iterator_builtins import NUMPY_ITERATORS
from autograph.staging.itertools_ import ITERTOOLS
from autograph.staging.lists import ListBackend
from autograph.staging.matches import Row, Subject
from autograph.staging.numpy_callbacks import NUMPY_CALLBACKS, VECTORIZED
from autograph.staging.object_functions import (
    ENUM_FAMILY,
    OBJECT_FUNCTIONS,
    OBJECT_MODULES,
    STREAM_WRITERS,
    of_arguments,
    of_object,
)
from autograph.staging.reductions import as_values, of_values
from autograph.staging.selected_objects import SelectedObjectBackend, called_on_each
from autograph.staging.streams_of_run import REFUSED
from autograph.staging.tensors import BACKEND
from autograph.staging.variables import VariableBackend
from autograph.staging.warning_calls import WARNING_CALLS

Fn = Callable[..., Any]

METHODS: tuple[tuple[type, Mapping[str, Any]], ...] = (
    (Tensor, instance.METHODS),
    (Tensor, tensor_operators.METHODS),
    (Tensor, numpy_protocols.METHODS),
    (Tensor, text_values.TENSOR_METHODS),
    (Tensor, run_time_containers.TENSOR_METHODS),
    (Tensor, attributes.METHODS),
    (Tensor, closed_libraries.METHODS),
    (Tensor, ndarray.METHODS),
    (SelectedObject, run_time_containers.SELECTED_OBJECT_METHODS),
    (Generated, REFUSED), (Items, REFUSED), (Cursor, REFUSED),
    *iterator_attributes.METHODS,
)
"""The methods that classes of symbolic values get from packages above theirs."""

BACKENDS: dict[type, dispatch.Backend] = {
    Tensor: BACKEND, Subject: BACKEND, Row: BACKEND, instance.Instance: BACKEND,
    instance.Dynamic: BACKEND, instance.OfClass: BACKEND, Variable: VariableBackend(),
    SelectedObject: SelectedObjectBackend(),
    **dict.fromkeys((StagedList, Items, Generated, Pushed, Stepped, Cursor), ListBackend()),
}
"""The backend of each class of symbolic values."""


def assemble() -> None:
    """Fill every table and extension point."""
    watch_starts()
    for cls, methods in METHODS:
        for name, method in methods.items():
            setattr(cls, name, method)
    tensor.METHODS.update(dict.fromkeys(CONTAINERS, run_time_containers.method_of))
    tensor.METHODS.update(
        {cls: partial(text_values.text_method, cls) for cls in (str, bytes)})
    tensor.LOWERED.update({
        StagedList: growing_lists.lowered, BaseException: as_value,
        SelectedObject: constant_operands.chosen_operand,
        attributes.Flat: attributes.Flat.copy, tensor.BoundMethod: tensor.BoundMethod.value,
        NumberMethod: tensor.BoundMethod.value})
    LEAVES.add(Items)
    numpy_protocols.DISPATCHED.update(ndarray.DISPATCHED)
    for cls, backend in BACKENDS.items():
        dispatch.register(cls, backend)
    MARKERS.add(Undefined)
    _fill_points()
    _fill_conversion()


def _fill_points() -> None:
    POINTS.embed_containers = run_time_containers.embed_containers
    POINTS.note_operands = copied_operands.note_operands
    POINTS.tuples_as_values = copied_operands.tuples_as_values
    POINTS.read_operand = run_time_containers.read_operand
    POINTS.read_for = growing_lists.read_for
    POINTS.read_each = iterators.read_each
    POINTS.check_constant = constant_operands.check_constant
    POINTS.check_keys = kept_functions.check_keys
    POINTS.stage_branch = cond.cond
    POINTS.stage_call, POINTS.recursions = recursion.staged, recursion.watching
    POINTS.sees_sites = recursion.sees_sites
    POINTS.instrument_sites = code_cache.site_instrumented
    POINTS.own_method = own_method
    POINTS.convert_callback = convert.callback


def _fill_conversion() -> None:
    """Register what converted code calls in place of functions of Python's and of libraries."""
    for name, operator in operators.BUILTIN_REPLACEMENTS.items():
        convert.enter_replacement(getattr(builtins, name), operator)
    convert.enter_replacement(builtins.print, operators.print_)
    CHECKS["__array__"] = numpy_protocols.given_by_object
    convert.enter_replacement(slice, slice_)
    convert.enter_replacement(Tensor.__init__, init_again)
    for function in outside_world.READERS:
        convert.enter_replacement(function, closed_libraries.asked_by_the_run(function))
    for table in (functions.REPLACEMENTS, NUMPY_ITERATORS, ITERTOOLS,
                  library_functions.LIBRARY_FUNCTIONS, FUNCTOOLS, NUMPY_CALLBACKS,
                  OBJECT_FUNCTIONS, WARNING_CALLS, lifetimes.WEAK_REFERENCES):
        for original, staged in table.items():
            convert.enter_replacement(original, staged)
    for cls in (deque, OrderedDict, defaultdict, Counter, array, *streams.STREAMS):
        convert.enter_replacement(cls, of_values(run_time_containers.constructed(cls)))
    for function in plain_containers.COMPARING_FUNCTIONS:
        convert.enter_replacement(function, plain_containers.on_containers(
            function, getattr(heaps, function.__name__)))
    FAMILIES.update({**functions.FAMILY_REPLACEMENTS, **ENUM_FAMILY, **VECTORIZED})
    FAMILIES.update(dict.fromkeys(CONTAINERS, plain_containers.plain_method))
    FAMILIES.update(dict.fromkeys((*streams.STREAMS, *STREAM_WRITERS), _stream_method))
    FAMILIES.update(dict.fromkeys(library_functions.VALUE_CLASSES, library_functions.value_method))
    FAMILIES.update({
        SelectedObject: called_on_each, str: _text_method,
        bytes: _text_method, MethodDescriptorType: _unbound_method,
        WrapperDescriptorType: _unbound_operator,
        itemgetter: library_functions.item_getter,
        attrgetter: library_functions.attribute_getter,
        methodcaller: library_functions.method_caller,
        BaseException: lambda f: partial(
            convert.called_form(notes.add_note), held(f, "__self__"))})
    CLASS_METHODS.update(library_functions.CLASS_METHODS)
    LATE_REPLACEMENTS["numpy.random"] = _enter_numpy_random
    LATE_REPLACEMENTS["logging"] = _enter_logging
    as_it_is = functions.called_as_it_is
    LIBRARIES.update(dict.fromkeys((*functions.PURE_MODULES, *functions.VALUE_MODULES,
                                    *functions.FUNCTION_MODULES), as_it_is))
    LIBRARIES.update(dict.fromkeys(OBJECT_MODULES, of_object))
    REPLACED.update(lifetimes.WEAK_STORES)
    store_targets.ITERATORS.update((Items, Generated, Pushed, Stepped, Cursor))
    OUTSIDE_WORLD[:] = [(outside_world.asks_outside, closed_libraries.asked_by_the_run),
                        (process_state.changes_process, process_state.where_python_calls_it)]
    CLOSED_LIBRARIES[:] = [closed_libraries.closed]
    FUNCTIONS_IN_C[:] = [of_arguments]
    LIBRARY_METHODS.update(dict.fromkeys(functions.VALUE_MODULES, as_it_is))


def _enter_logging() -> None:
    from autograph.staging.logging_calls import LOGGING_CALLS  # for programs that log

    for original, replacement in LOGGING_CALLS.items():
        convert.enter_replacement(original, replacement)


def _enter_numpy_random() -> None:
    replacements, families = random_generators.numpy_replacements()
    for original, replacement in replacements.items():
        convert.enter_replacement(original, replacement)
    FAMILIES.update(families)


def _unbound_method(function: Fn) -> Fn:
    """Returns the replacement of `list.append` and its like, which are given the object."""
    def method(*args: Any, **kwargs: Any) -> Any:
        x = args[0] if args and trace.tracing() else None
        if isinstance(x, Tensor):
            return run_time_containers.called_with(function, args, kwargs)
        if type(x) is not StagedList and isinstance(x, function.__objclass__):  # type: ignore[attr-defined]
            return convert.called_form(function.__get__(x))(*args[1:], **kwargs)
        if type(x) in dispatch.BACKENDS:
            return convert.called_form(getattr(x, function.__name__))(*args[1:], **kwargs)
        return function(*args, **kwargs)

    return method


def _unbound_operator(function: Fn) -> Fn:
    """Returns the replacement of `list.__add__` and its like."""
    replacement = of_object(function)

    def operator(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is StagedList and hasattr(list, function.__name__):
            return growing_lists.own_operator(args[0], function.__name__)(*args[1:], **kwargs)
        if args and issubclass(type(args[0]), ITERATORS) and function.__name__ in BY_NAME:
            return getattr(args[0], function.__name__)(*args[1:], **kwargs)
        return replacement(*args, **kwargs)

    return operator


def _stream_method(function: Fn) -> Fn:
    """Returns the replacement of a method of a stream or of a writer, which may be given lazy
    iterables."""
    staged = streams.stream_method(function)

    def method(*args: Any, **kwargs: Any) -> Any:
        return staged(*(map(as_values, args) if trace.tracing() else args), **kwargs)

    return method


def _text_method(function: Fn) -> Fn:
    """Returns the replacement of a method of a string. That of `", ".join` first makes a list of
    an iterable that only a staged loop can iterate over."""
    staged = functions.text_method(function)
    if function.__name__ != "join":
        return staged
    as_list = operators.BUILTIN_REPLACEMENTS["list"]

    def join(items: Any) -> Any:
        if type(items) in dispatch.BACKENDS:
            return staged(as_list(items))
        return staged(as_values(items) if trace.tracing() else items)

    return join


assemble()
