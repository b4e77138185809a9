"""Compiles converted functions, once for each code object and the globals it runs in.

There are six forms of a function: the converted one, the push form, the list form and the resumed
form of a generator, the generator with converted expressions, and the stop form of a `__next__`;
each is site-instrumented or not. Closures made from one `def` share a code object, so they share
the compiled forms; what is made for each function is a function object with its own cells. Two
modules may run the same code object with other globals, which change how calls are converted: each
has forms of its own. A form in which a name stood for something else (`abs`, before the module had
an `abs` of its own) is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from autograph.conversion import driver
from autograph.conversion.call_resolution import Answers
from autograph.conversion.conversion_rules import (
    is_joined,
    note_block,
    note_file,
    note_generated,
    note_joined,
    original_of,
)
from autograph.conversion.load import Loaded, blocks
from autograph.conversion.plain_form import converted_parts
from autograph.conversion.special_methods import behind
from autograph.extension_points import POINTS
from autograph.locks import new_lock
from autograph.syntax.errors import ConversionError
from autograph.syntax.gc_pause import collector_waits
from autograph.syntax.recursion_limit import make_room
from autograph.syntax.source_file import SourceFile, all_codes
from autograph.weak_id_dict import IdentityDict

LOCK = new_lock()
"""Held while functions are converted."""

_loaded: IdentityDict[dict[int, Loaded]] = IdentityDict()
"""A code object -> the id of the globals it runs in -> its converted code."""

_joined: IdentityDict[dict[int, Loaded]] = IdentityDict()
"""The same for code that holds the plain form and the converted one."""

_instrumented: IdentityDict[dict[int, Loaded]] = IdentityDict()
_instrumented_codes: IdentityDict[bool] = IdentityDict()
"""The same for site-instrumented code, and the code objects of that form."""

_answers: IdentityDict[Answers] = IdentityDict()
"""Converted code -> what the names in it stood for."""

_Forms = IdentityDict[dict[bool, Loaded | None]]

_pushed: _Forms = IdentityDict()
"""The code object of a generator -> its push forms, plain and site-instrumented; None: it has none.
"""

_listed: _Forms = IdentityDict()
"""The code object of a generator -> its list forms, in the same way."""

_resumed: _Forms = IdentityDict()
"""The code object of a generator -> its resumed forms."""

_suspended: _Forms = IdentityDict()
"""The code object of a generator -> the generators with converted expressions."""

_stopped: _Forms = IdentityDict()
"""The code object of a `__next__` -> its stop forms."""


def loaded_function(f: FunctionType, recursive: bool) -> FunctionType:
    """Returns a converted function; functions with the same code share its converted code."""
    return _function(f, recursive, _loaded, False)


def joined_function(f: FunctionType, recursive: bool) -> FunctionType:
    """Returns a function that runs as it was written, or while a trace is made, converted."""
    return f if is_joined(f.__code__) else _function(f, recursive, _joined, True)


def _function(f: FunctionType, recursive: bool, table: IdentityDict[dict[int, Loaded]],
              plain: bool) -> FunctionType:
    written = unconverted(f)
    if not recursive:
        return _compiled(written, recursive, plain).function(f, operators())
    loaded = table.get(written.__code__)
    if loaded is None:
        table.put(written.__code__, loaded := {})
    scope = id(f.__globals__)
    if scope not in loaded or not loaded[scope].fits(f):
        loaded[scope] = _compiled(written, recursive, plain)
    return loaded[scope].function(f, operators())


def is_as_resolved(converted: Any) -> bool:
    """Returns True if the names in a converted function stand for what they did when it was made.
    """
    while type(converted) is not FunctionType:
        inner = getattr(converted, "__func__", getattr(converted, "func", None))
        if inner is None or inner is converted:
            return True
        converted = inner
    answers = _answers.get(converted.__code__)
    return answers is None or answers.hold(converted.__globals__)


def _compiled(f: FunctionType, recursive: bool, plain: bool) -> Loaded:
    make_room()
    with collector_waits():
        found = driver.loaded(f, operators(), recursive, plain=plain)
    if found.answers is not None:
        _answers.put(found.code, found.answers)
    if plain:
        note_joined(found.code, f.__code__)
        _note(found.code, f.__code__, converted_parts(found.code, found.ag), found.file)
    else:
        _note(found.code, f.__code__, all_codes(found.code), found.file)
    return found


def _note(made: CodeType, original: CodeType | None, parts: Iterable[CodeType],
          file: SourceFile | None = None) -> None:
    """Records the code objects of a converted function, made from the user's."""
    for code in parts:
        note_generated(code, original if code is made else None)
        if file is not None:
            note_file(code, file)
    for code in blocks(made):
        note_block(code)


def push_form(f: FunctionType) -> FunctionType | None:
    """Returns the push form of a generator, which a staged loop runs; None if it has none."""
    return _second_form(f, _pushed, driver.loaded_push_form)


def stop_form(f: FunctionType) -> FunctionType | None:
    """Returns the stop form of a `__next__`, which a staged loop calls; None if it has none."""
    return _second_form(f, _stopped, driver.loaded_stop_form)


def list_form(f: FunctionType) -> FunctionType | None:
    """Returns the list form of a generator, which can call itself in a graph; None if it has none.
    """
    return _second_form(f, _listed, driver.loaded_list_form)


def resumed_form(f: FunctionType) -> FunctionType | None:
    """Returns what makes the function that goes on with a generator; None if it has no such form.
    """
    return _second_form(f, _resumed, driver.loaded_resumed_form)


def generator_form(f: FunctionType) -> FunctionType | None:
    """Returns the generator with converted expressions, which Python runs while a trace is made;
    None if its text is not known."""
    return _second_form(f, _suspended, driver.loaded_generator)


def _second_form(f: FunctionType, table: _Forms,
                 load: Callable[[FunctionType, Any, bool], Loaded | None]) -> FunctionType | None:
    written, sees_sites = unconverted(f), POINTS.sees_sites()
    forms = table.get(written.__code__)
    if forms is None:
        table.put(written.__code__, forms := {})
    known = forms.get(sees_sites)
    if sees_sites not in forms or (known is not None and not known.fits(written)):
        with LOCK:
            try:
                made = load(written, operators(), sees_sites)
            except ConversionError:
                made = None
            if made is not None:
                _note(made.code, None, all_codes(made.code))
            forms[sees_sites] = made
    loaded = forms[sees_sites]
    return None if loaded is None else loaded.function(written, operators())


def site_instrumented(f: Any) -> Any:
    """Returns the site-instrumented form of a converted function, which reports its containers."""
    if type(f) is MethodType:
        return MethodType(site_instrumented(f.__func__), f.__self__)
    code = original_of(f.__code__) if type(f) is FunctionType else None
    if code is None or id(f.__code__) in _instrumented_codes.values:
        return f
    plain = unconverted(f)
    plain.__kwdefaults__, plain.__qualname__ = f.__kwdefaults__, f.__qualname__
    plain.__module__ = f.__module__
    return _instrumented_form(code, plain).function(plain, operators())


def _instrumented_form(code: CodeType, f: FunctionType) -> Loaded:
    forms = _instrumented.get(code)
    if forms is None:
        _instrumented.put(code, forms := {})
    scope = id(f.__globals__)
    if scope not in forms or not forms[scope].fits(f):
        with LOCK:
            forms[scope] = driver.loaded(f, operators(), site_instrumented=True)
        _note(forms[scope].code, code, all_codes(forms[scope].code))
        for made in all_codes(forms[scope].code):
            _instrumented_codes.put(made, True)
    return forms[scope]


def operators() -> Any:
    """Returns the package as a user imports it: generated code calls it `ag`."""
    return POINTS.operators()


def unconverted(f: FunctionType) -> FunctionType:
    """Returns the function as it was before `ag.convert`, with the same globals and cells."""
    f = behind(f)
    code = original_of(f.__code__)
    if code is None:
        return f
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    closure = tuple(cells.get(name) or CellType() for name in code.co_freevars)
    return FunctionType(code, f.__globals__, f.__name__, f.__defaults__, closure)
