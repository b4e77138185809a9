"""The table by which `ag.convert` decides what is converted, what is left as it is, and why.

Each row of `RULES` applies to one kind of callable. The first row that applies decides: its action
makes what converted code calls instead (a method, for one, is bound again to its converted
function), or there is no action and the callable stays as it is. What stays has a reason, which
`ag.set_verbosity(1)` logs. If the user asks to convert something that cannot be converted, the row
raises that reason as an error, with a way out.

Tables such as `REPLACEMENTS` are filled by the runtime's half (`autograph.staging.assembly`): they
say which callables have a staged replacement. This package knows none of them.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import (
    BuiltinMethodType,
    CodeType,
    FunctionType,
    MethodType,
    MethodWrapperType,
)
from typing import Any

import numpy as np

from autograph.conversion.callees import with_converted_callees
from autograph.conversion.class_calls import (
    convert_class,
    convert_constructor,
    convert_generic_alias,
    is_generic_alias,
    is_own_constructor,
)
from autograph.conversion.errstate import ERRSTATE, settings_in
from autograph.conversion.functions_in_c import is_of_module_in_c
from autograph.conversion.special_methods import STAGED_CODE, swap_methods
from autograph.libraries import is_closed, is_no_file, is_of_closed_library, is_own, package_of
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.operators.dispatch import active
from autograph.own_attributes import class_has, held
from autograph.syntax.errors import SourceUnavailableError
from autograph.syntax.source_file import SourceFile
from autograph.weak_id_dict import IdentityDict


@dataclass(frozen=True)
class Request:
    """The functions and facts that an action needs to convert a callable.

    convert  converts a part of it, by the rules.
    load     compiles a function.
    asked    the user asks for this very callable; otherwise converted code calls it.
    push     makes the push form of a generator.
    called   returns what a trace that is being made calls in place of a converted function.
    """

    convert: Callable[[Any], Any]
    load: Callable[[FunctionType], FunctionType]
    asked: bool
    push: Callable[[FunctionType], FunctionType | None]
    called: Callable[[Any], Any]


@dataclass(frozen=True)
class Rule:
    """One row: where it `applies`, `action` makes what is called instead (None: nothing else).

    A row with a `way_out` refuses to convert a callable that the user asks for: the error is the
    `reason`, and the way out its hint.
    """

    name: str
    applies: Callable[[Any], bool]
    action: Callable[[Any, Request], Any] | None
    reason: str
    way_out: str = ""


# -- what the rules look at ------------------------------------------------------------------------

REPLACEMENTS: IdentityDict[Any] = IdentityDict()
"""A callable -> its staged replacement, which does the same for symbolic arguments."""

FAMILIES: dict[type, Callable[[Any], Any]] = {}
"""A type -> what makes the replacement of a callable of this type, or of a built-in method of an
object of this type."""

LIBRARIES: dict[str, Callable[[Any], Any]] = {}
"""The name of a library of arrays or of other values -> what makes the replacement of its functions
and classes."""

LIBRARY_METHODS: dict[str, Callable[[Any], Any]] = {}
"""The name of a library -> what makes the replacement of the methods of its objects."""


LATE_REPLACEMENTS: dict[str, Callable[[], None]] = {}
"""The name of a module that may never be imported -> what enters the replacements of its functions
in the tables above."""


def enter_late_replacements() -> None:
    """Enters the replacements of functions of modules that the program has imported meanwhile."""
    for name in [name for name in LATE_REPLACEMENTS if name in sys.modules]:
        LATE_REPLACEMENTS[name]()
        LATE_REPLACEMENTS.pop(name, None)  # another thread may have done the same


def family_of(f: Any) -> Callable[[Any], Any] | None:
    """Returns what makes the replacement of a callable by its type, or by its method's object.

    >>> family_of((1).bit_length) is None, family_of(object().__init__) is None
    (False, True)
    """
    if held(f, "__name__") == "add_note" and isinstance(held(f, "__self__"), BaseException):
        return FAMILIES.get(BaseException)
    if type(f) in (BuiltinMethodType, MethodType, MethodWrapperType):
        return None if isinstance(f.__self__, type) else FAMILIES.get(type(f.__self__))
    return FAMILIES.get(type(f))


FUNCTIONS_IN_C: list[Callable[[Any], Any]] = []
"""What makes the replacement of a function written in C that no other table has."""

CLOSED_LIBRARIES: list[Callable[[Any], Any]] = []
"""What makes the replacement of a callable of an installed distribution that stays closed."""

OUTSIDE_WORLD: list[tuple[Callable[[Any], bool], Callable[[Any], Any]]] = []
"""What tells the functions of Python's library that ask the world outside the program, or change
the process, and what makes their replacements."""


def outside_replacement(f: Any) -> Callable[[Any], Any] | None:
    """Returns what makes the replacement of a function of Python's library that asks the world
    outside the program, or changes the process; None for any other callable."""
    return next((make for asks, make in OUTSIDE_WORLD if asks(f)), None)


CLASS_METHODS: dict[tuple[type, str], Callable[[Any], Any]] = {}
"""A class written in C and the name of a class method -> what makes the method's replacement."""


def class_method(f: Any) -> Callable[[Any], Any] | None:
    """Returns what makes the replacement of a class method, such as `dict.fromkeys`."""
    if type(f) is not BuiltinMethodType or not isinstance(f.__self__, type):
        return None
    return CLASS_METHODS.get((f.__self__, f.__name__))


def library_replacement(f: Any) -> Callable[[Any], Any] | None:
    """Returns what makes the replacement of a function or class of a library of values."""
    if isinstance(f, type) and issubclass(f, BaseException):
        return None
    if (_is_function(f) and not is_closed(f)) or (
            isinstance(f, type) and is_of_closed_library(f)):
        return None
    return LIBRARIES.get(_library(f))


def method_replacement(f: Any) -> Callable[[Any], Any] | None:
    """Returns what makes the replacement of a method of a library's object or class."""
    if not isinstance(f, (BuiltinMethodType, MethodType)):
        return None
    owner = f.__self__
    return LIBRARY_METHODS.get(_library(owner if isinstance(owner, type) else type(owner)))


def _library(f: Any) -> str:
    return package_of(held(f, "__module__"))


MARKED: IdentityDict[bool] = IdentityDict()
_originals: IdentityDict[CodeType | None] = IdentityDict()
_blocks: IdentityDict[bool] = IdentityDict()
_files: IdentityDict[SourceFile] = IdentityDict()
_joined: IdentityDict[bool] = IdentityDict()


def mark_do_not_convert(f: Any) -> None:
    """Marks a callable as not to be converted: the object, since wrappers copy attributes."""
    (MARKED.put if type(f).__weakrefoffset__ else MARKED.put_for_good)(f, True)


def note_generated(code: CodeType, original: CodeType | None) -> None:
    """Records that a code object came out of the compiler, and what it was made from."""
    _originals.put(code, original)


note_generated(STAGED_CODE, None)


def note_block(code: CodeType) -> None:
    """Records that a code object is that of a block: a branch, a loop's body or test."""
    _blocks.put(code, True)


def note_file(code: CodeType, file: SourceFile) -> None:
    """Records the file that a code object was made from: what it was made of may also run as it was
    written."""
    _files.put(code, file)


def file_of(code: CodeType) -> SourceFile | None:
    """Returns the file of converted code that may also run as it was written."""
    return _files.get(code)


def is_block(code: CodeType) -> bool:
    """Returns True if a code object is that of a block of a converted function."""
    return id(code) in _blocks.values


def note_joined(code: CodeType, original: CodeType) -> None:
    """Records that a code object holds a function as it was written and its converted form."""
    note_generated(code, original)
    _joined.put(code, True)


def is_joined(code: CodeType) -> bool:
    """Returns True for a code object of which `note_joined` was told."""
    return id(code) in _joined.values


def is_generated(code: CodeType) -> bool:
    """Returns True if a code object came out of the compiler."""
    return id(code) in _originals.values


def original_of(code: CodeType) -> CodeType | None:
    """Returns the user's code that a converted function was made from."""
    return _originals.get(code)


def _is_function(f: Any) -> bool:
    return type(f) is FunctionType


def is_generator(f: Any) -> bool:
    """Returns True if calling a function makes a generator."""
    return _is_function(f) and f.__code__.co_flags & inspect.CO_GENERATOR != 0


def _is_suspended(f: Any) -> bool:
    flags = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return _is_function(f) and bool(f.__code__.co_flags & flags)


def _is_made_by_code(f: Any) -> bool:
    """Returns True for a class whose instances are made by functions with a text."""
    makers: Any = (type(f).__call__, f.__new__, getattr(f, "__init__")) if (  # noqa: B009
        isinstance(f, type)) else ()
    return any(_is_function(x) and x.__code__.co_filename != "<string>" for x in makers)


CONTEXT_MANAGER = contextlib.contextmanager(lambda: iter(())).__code__
"""The code object that all functions under `contextlib.contextmanager` share."""

SINGLEDISPATCH = functools.singledispatch(lambda x: x).__code__  # type: ignore[attr-defined]
"""The code object that all functions made by `functools.singledispatch` share."""


# -- what they make --------------------------------------------------------------------------------

def _convert_bound_method(f: MethodType, request: Request) -> Any:
    swap_methods(type(f.__self__), request.convert)
    function = request.convert(f.__func__)
    return f if function is f.__func__ else MethodType(function, f.__self__)


def _convert_partial(f: functools.partial[Any], request: Request) -> Any:
    function = request.convert(f.func)
    if function is f.func:
        return f
    return functools.partial(function, *f.args, **f.keywords)


def _convert_wrapped(f: Any, request: Request) -> Any:
    return type(f)(request.convert(f.__func__))


def _convert_callable_object(f: Any, request: Request) -> Any:
    swap_methods(type(f), request.convert)
    call = request.convert(type(f).__call__)
    return f if call is type(f).__call__ else MethodType(call, f)


def _convert_without_a_file(f: FunctionType, request: Request) -> Any:
    """Converts a function if Python keeps its text: of notebook cells and input, not of `exec`.

    Of a function without a text, the functions that it calls by global names are converted.
    """
    try:
        return request.load(f)
    except SourceUnavailableError:
        if request.asked:
            raise
        return with_converted_callees(f, request.convert)


def _convert_generator(f: FunctionType, request: Request) -> Any:
    """Returns a function that calls the generator, or while a trace is made, the backend."""

    @functools.wraps(f)
    def generator(*args: Any, **kwargs: Any) -> Any:
        backend = active()
        if backend is None:
            return f(*args, **kwargs)
        return backend.generator(f, functools.partial(request.push, f), args, kwargs)

    return generator


def _convert_context_manager(f: Any, request: Request) -> Any:
    """Returns a function that makes a context manager of the converted generator."""
    return contextlib.contextmanager(request.convert(f.__wrapped__))


def _convert_singledispatch(f: Any, request: Request) -> Any:
    """Returns a function that dispatches on the class that a symbolic value stands for."""

    @functools.wraps(f)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return f(*args, **kwargs)  # raises, in Python's words
        cls, backend = BUILTIN_REPLACEMENTS["type"](args[0]), active()
        if backend is not None and not isinstance(cls, type):
            return backend.dispatch(f, cls, args, kwargs)
        return request.convert(f.dispatch(cls))(*args, **kwargs)

    return dispatch


def _convert_cached(f: Any, request: Request) -> Any:
    """Returns a function that calls the cached function, or while a trace is made, the backend."""

    @functools.wraps(f)
    def cached(*args: Any, **kwargs: Any) -> Any:
        backend = active()
        if backend is None:
            return f(*args, **kwargs)
        return backend.cached(f, args, kwargs)

    return cached


def _convert_with_settings(f: Any, request: Request) -> Any:
    """Returns a function under `np.errstate`, whose settings hold for what is recorded, too."""
    settings = settings_in(f)
    staged: Any = REPLACEMENTS.get(np.errstate)

    @functools.wraps(f)
    def under_settings(*args: Any, **kwargs: Any) -> Any:
        with staged(**settings):
            return request.called(request.convert(f.__wrapped__))(*args, **kwargs)

    return under_settings


def _replace_by(find: Callable[[Any], Any]) -> Callable[[Any, Request], Any]:
    """Returns an action that makes the replacement of a callable with what `find` finds for it."""
    return lambda f, request: find(f)(f)


NO_GENERATOR = (
    "move the code that depends on arrays into a plain function, and convert that; converted code "
    "may still call generators and coroutines")
"""The way out for generators and coroutines."""

RULES: tuple[Rule, ...] = (
    Rule("replacement", REPLACEMENTS.__contains__, lambda f, _: REPLACEMENTS.get(f),
         "autograph has its own version of it, which handles symbolic arguments"),
    Rule("not callable", lambda f: not callable(f) and not isinstance(f, classmethod), None,
         "it is an object that cannot be called",
         "give a function, a method, a class or an object with a __call__ method; options have "
         "names, as input_signature=[ag.TensorSpec([None])]"),
    Rule("do not convert", MARKED.__contains__, None,
         "it is marked with ag.do_not_convert"),
    Rule("staged family", lambda f: family_of(f) is not None, _replace_by(family_of),
         "the graph records calls of it that have symbolic arguments"),
    Rule("class method", lambda f: class_method(f) is not None, _replace_by(class_method),
         "the graph records calls of it that have symbolic arguments"),
    Rule("outside world", lambda f: outside_replacement(f) is not None,
         _replace_by(outside_replacement),
         "it asks the world outside the program, or changes the process, at each run of the graph"),
    Rule("closed library", lambda f: library_replacement(f) is None and method_replacement(
            f) is None and is_of_closed_library(f), lambda f, _: CLOSED_LIBRARIES[0](f),
         "it belongs to an installed library, and is called as it is when the graph runs; "
         "ag.trace_into opens the library"),
    Rule("library method", lambda f: method_replacement(f) is not None,
         _replace_by(method_replacement),
         "it is called as it is; with symbolic arguments, when the graph runs"),
    Rule("bound method", lambda f: type(f) is MethodType or class_has(type(f), "__ag_bound__"),
         _convert_bound_method,
         "its function is converted and bound again"),
    Rule("partial", lambda f: type(f) is functools.partial, _convert_partial,
         "its function is converted"),
    Rule("generic alias", is_generic_alias, convert_generic_alias,
         "its class is converted"),
    Rule("staticmethod, classmethod", lambda f: type(f) in (staticmethod, classmethod),
         _convert_wrapped, "the function in it is converted"),
    Rule("np.errstate", lambda f: _is_function(f) and f.__code__ is ERRSTATE,
         _convert_with_settings, "its function is converted, and NumPy's settings are recorded"),
    Rule("lru_cache", lambda f: isinstance(f, functools._lru_cache_wrapper), _convert_cached,
         "functools.lru_cache calls it from C, and needs hashable arguments",
         "put @functools.lru_cache above the decorator of autograph"),
    Rule("generator", lambda f: is_generator(f) and not is_closed(f), _convert_generator,
         "it is a generator, whose body stops at every yield and goes on later; a converted "
         "function cannot do that", NO_GENERATOR),
    Rule("joined", lambda f: _is_function(f) and is_joined(f.__code__),
         lambda f, request: request.load(f), "its converted form is what is called"),
    Rule("converted", lambda f: _is_function(f) and is_generated(f.__code__), None,
         "it is converted already"),
    Rule("autograph's own", lambda f: _is_function(f) and is_own(f), None,
         "it belongs to autograph, and handles symbolic values itself"),
    Rule("library of values", lambda f: library_replacement(f) is not None,
         _replace_by(library_replacement),
         "it belongs to a library, and is called as it is; with symbolic arguments, when the graph "
         "runs"),
    Rule("singledispatch", lambda f: _is_function(f) and f.__code__ is SINGLEDISPATCH,
         _convert_singledispatch,
         "its functions are converted, and chosen by the class of the first argument"),
    Rule("contextmanager", lambda f: _is_function(f) and f.__code__ is CONTEXT_MANAGER
         and not is_closed(f.__wrapped__), _convert_context_manager, "its generator is converted"),
    Rule("library function", lambda f: _is_function(f) and is_closed(f), None,
         "it belongs to Python or to an installed library"),
    Rule("coroutine", _is_suspended, None,
         "it is a coroutine, whose body stops at every await and goes on later; a converted "
         "function cannot do that", NO_GENERATOR),
    Rule("function without a file", lambda f: _is_function(f) and (is_no_file(
            f.__code__.co_filename) or not os.path.exists(f.__code__.co_filename)),
         _convert_without_a_file,
         "it is converted if Python keeps its text; of code made from a string, such as the "
         "methods of a data class, the functions that it calls are converted"),
    Rule("function", _is_function, lambda f, request: request.load(f),
         "it is the user's"),
    Rule("class", _is_made_by_code, convert_class,
         "its __new__ and __init__ are converted, and the __call__ of its metaclass"),
    Rule("constructor", is_own_constructor,
         lambda f, request: convert_constructor(f.__self__, request),
         "the __new__ and __init__ of the class are converted"),
    Rule("other class", lambda f: isinstance(f, type), None,
         "it has no __init__ written in Python; its instances are made in C, or by generated code",
         "convert its methods one by one"),
    Rule("callable object", lambda f: _is_function(type(f).__call__), _convert_callable_object,
         "its __call__ is converted"),
    Rule("function in C", is_of_module_in_c, lambda f, _: FUNCTIONS_IN_C[0](f),
         "it is called as it is; with symbolic arguments, when the graph runs"),
    Rule("not Python", lambda f: True, None,
         "it is written in C: there is no source to convert"),
)
"""Read from the top; the first row that applies decides."""


def rule_of(f: Any) -> Rule:
    """Returns the row that decides on a callable.

    >>> rule_of(len.__call__).name, rule_of(ValueError).name
    ('not Python', 'other class')
    """
    enter_late_replacements()
    return next(rule for rule in RULES if rule.applies(f))
