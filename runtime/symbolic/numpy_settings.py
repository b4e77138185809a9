"""NumPy's settings while tracing: what is recorded meanwhile gets those that the program made.

The functions here do what NumPy's do, for what is computed at once, and note it for the equations.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ContextDecorator, contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any, ClassVar, cast

import numpy as np

from autograph.own_attributes import class_has
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.exception_tables import lets_exceptions_pass
from autograph.runtime.ir.numpy_settings import ERROR_KINDS, ERROR_WORDS, Settings
from autograph.runtime.symbolic.source_locations import user_location


def _states() -> list[ContextVar[Any]]:
    """Returns what holds NumPy's settings, so far as this NumPy has it: another object is there
    once a setting changed."""
    variables = ("umath", "_extobj_contextvar"), ("printoptions", "format_options")
    found = (getattr(import_module(f"numpy._core.{module}"), name, None)
             for module, name in variables if find_spec(f"numpy._core.{module}"))
    return [x for x in found if isinstance(x, ContextVar)]


STATES = _states()
"""NumPy's own variables for its settings."""

NO_DEFAULTS = (None,) * len(STATES)

NOTHING_YET = (object(),) * (1 + len(STATES))
"""A state of NumPy that never is."""

NOT_TRACED = "do this part in a function under ag.do_not_convert"


class _Current(threading.local):
    """The settings that the program made by the functions here, and all those that held when the
    trace began. `found` are those that hold for the state of NumPy in `state`; `asked` are the
    symbolic values that the program got for the settings of the run, by id, with their names."""

    def __init__(self) -> None:
        self.settings: Settings = ()
        self.start: dict[str, Any] = {}
        self.asked: dict[int, tuple[Any, str]] = {}
        self.state: tuple[Any, ...] = ()
        self.found: Settings = ()


_current = _Current()


def current_settings() -> Settings:
    """Returns the settings that the program made for what is recorded now: by the functions here,
    or otherwise, in code that is not traced."""
    state = (_current.settings, *map(ContextVar.get, STATES, NO_DEFAULTS))
    if state != _current.state:
        now = _all_settings() if _current.start else {}
        other = _plain(now, [name for name, x in now.items() if x != _current.start[name]])
        _current.state, _current.found = state, tuple({**dict(_current.settings), **other}.items())
    return _current.found


@contextmanager
def own_settings(record: Callable[[str, str], None]) -> Iterator[None]:
    """Gives a trace settings of its own, none to begin with; undoes those of one that is given
    up. Errors of floating point that NumPy would warn of are recorded: their kinds and its words.
    """
    outer = _current.settings, _current.start, _current.asked
    errors = cast(dict[str, Any], np.geterr())
    texts, called = np.get_printoptions(), np.geterrcall()
    _current.settings, _current.start, _current.asked = (), _all_settings(), {}
    np.seterrcall(Recorder(record, _errors()))
    np.seterr(**{k: "log" if how in ("ignore", "warn", "raise") else how
                 for k, how in errors.items()})
    _current.state = NOTHING_YET
    try:
        yield
        for kind, how in _errors().items():
            errors[kind] = errors[kind] if how == _current.start[kind] else how
    except BaseException:
        np.set_printoptions(**texts)
        raise
    finally:
        np.seterrcall(called)
        np.seterr(**errors)
        _current.settings, _current.start, _current.asked = outer
        _current.state = NOTHING_YET


class Recorder:
    """Takes the floating-point errors that NumPy finds while a function is traced, in what is
    computed at once: the graph tells them, wherever and whenever it gets there, as the run's
    settings say.

    meant  how the program wants each kind of them to be treated.
    """

    def __init__(self, record: Callable[[str, str], None], meant: dict[str, Any]) -> None:
        self.record, self.meant = record, meant

    def write(self, text: str) -> None:
        message = text.removeprefix("Warning: ").rstrip()
        kind = next(k for k, words in ERROR_WORDS.items() if message.startswith(words))
        self.record(kind, message)


def _errors() -> dict[str, Any]:
    """Returns how the program wants floating-point errors to be treated."""
    recorder = np.geterrcall()
    meant = recorder.meant if isinstance(recorder, Recorder) else {}
    return {kind: meant.get(kind, how) if how == "log" else how
            for kind, how in cast(dict[str, Any], np.geterr()).items()}


def _for_numpy(settings: dict[str, Any], of_run: Collection[str]) -> dict[str, Any]:
    """Returns settings for NumPy: what it would warn of by them is recorded, and what the run
    decides on."""
    given, recorder = _given(settings), np.geterrcall()
    if not isinstance(recorder, Recorder) or given.keys().isdisjoint(ERROR_KINDS):
        return settings
    found = {k: "log" if how == "warn" or k in of_run else how for k, how in given.items()}
    return {**found, "call": Recorder(recorder.record, {**recorder.meant, **given})}


@contextmanager
def settings_of_region() -> Iterator[None]:
    """Refuses a branch or loop body that changes settings for what follows it.

    Raises:
      TracingError: it does.
    """
    before = _current.settings
    try:
        yield
        if _current.settings != before:
            _refuse("after a branch or loop that only the run decides on")
    finally:
        _current.settings = before


def refuse_settings_left() -> None:
    """Refuses a function that leaves settings changed, where that has to happen in each run.

    Raises:
      TracingError: it does.
    """
    if _current.settings:
        _refuse("after the call")


def _refuse(where: str) -> None:
    names = ", ".join(name for name, _ in _current.settings)
    raise TracingError(
        f"NumPy's settings ({names}) stay changed {where}{at(user_location())}\n"
        "  hint: set them for a block: `with np.errstate(…)`, `with np.printoptions(…)`")


def _all_settings() -> dict[str, Any]:
    return {**_errors(), **np.get_printoptions()}


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings that are given, each by its own name."""
    if "call" in settings:
        raise TracingError(f"the setting call={settings['call']!r} cannot be part of a graph"
                           f"{at(user_location())}\n  hint: {NOT_TRACED}")
    given = {k: v for k, v in settings.items() if v is not None and k != "all"}
    everything = settings.get("all")
    return given if everything is None else {**dict.fromkeys(ERROR_KINDS, everything), **given}


def _note(given: dict[str, Any], of_run: Collection[str]) -> None:
    """Notes settings that NumPy has taken; some of them are again those of the run."""
    made = {**dict(_current.settings), **_plain(_all_settings(), given)}
    _current.settings = tuple((name, x) for name, x in made.items() if name not in of_run)


def _plain(settings: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Returns some of the settings, which are numbers, texts or None.

    Raises:
      TracingError: one is not.
    """
    found = {name: settings[name] for name in names}
    for name, x in found.items():
        if not isinstance(x, (str, int, float, type(None))):
            raise TracingError(f"the setting {name}={x!r} cannot be part of a graph"
                               f"{at(user_location())}\n  hint: {NOT_TRACED}")
    return found


class errstate(ContextDecorator):
    """`np.errstate` for what is recorded meanwhile, and for what is computed at once."""

    numpy: ClassVar[Any] = np.errstate
    takes: ClassVar[Any] = np.errstate

    def __init__(self, *args: Any, **settings: Any) -> None:
        self._settings, self._of_run = _known(_bound(type(self).takes, args, settings))
        self._state = type(self).numpy(**_for_numpy(self._settings, self._of_run))

    def _recreate_cm(self) -> errstate:
        again = type(self)(**self._settings)
        again._of_run = self._of_run
        return again

    def __enter__(self) -> Any:
        if "raise" not in self._settings.values():  # a ufunc that raises has written by then
            lets_exceptions_pass(sys._getframe(1))
        self._outer, entered = _current.settings, self._state.__enter__()
        _note(_given(self._settings), self._of_run)
        return entered

    def __exit__(self, *error: Any) -> None:
        _current.settings = self._outer
        self._state.__exit__(*error)


class printoptions(errstate):
    """`np.printoptions` for texts that are made by the graph, and those that are made at once."""

    numpy: ClassVar[Any] = np.printoptions
    takes: ClassVar[Any] = np.set_printoptions


def setter(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `np.seterr` or `np.set_printoptions` for what is recorded from then on.

    Settings that are again as when the trace began are left to the run.
    """
    def set_from_now_on(*args: Any, **settings: Any) -> Any:
        given, of_run = _known(_bound(function, args, settings))
        of_run = [*of_run, *(k for k, x in _given(given).items() if x == _current.start.get(k))]
        before, taken = _all_settings(), _for_numpy(given, of_run)
        if "call" in taken:
            np.seterrcall(taken.pop("call"))
        old = {name: before[name] for name in function(**taken) or ()} or None
        _note(_given(given), of_run)
        return old

    return set_from_now_on


def getter(function: Callable[[], Any], recorded: Callable[[], Any]
           ) -> Callable[[], dict[str, Any]]:
    """Returns `np.geterr` or `np.get_printoptions` for a trace: what the program set is known, the
    rest is what the run has, by `recorded`."""
    def get() -> dict[str, Any]:
        now, own, asked = function(), dict(_current.settings), recorded()
        found = {name: own[name] if name in own else asked[name] for name in now}
        _current.asked.update((id(x), (x, name)) for name, x in found.items() if name not in own)
        return found

    return get


def _known(settings: dict[str, Any]) -> tuple[dict[str, Any], Collection[str]]:
    """Returns settings with those that the program got from `getter` as they were when the trace
    began, and the names of these, which are again those of the run.

    Raises:
      TracingError: one is symbolic, and not what the run has for it.
    """
    of_run = [name for name, x in settings.items()
              if name == _current.asked.get(id(x), (None, ""))[1]]
    found = {**settings, **{name: _current.start[name] for name in of_run}}
    for name, x in found.items():
        if class_has(type(x), "__ag_records__"):
            raise TracingError(f"the setting {name} is computed in the graph{at(user_location())}\n"
                               f"  hint: {NOT_TRACED}")
    return found, of_run


def _bound(function: Any, args: tuple[Any, ...], settings: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a call by name."""
    return signature(function).bind(*args, **settings).arguments
