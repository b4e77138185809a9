"""Calls of `logging` in converted code: the record is made when the graph runs, and names the line
of the user's."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import Any, NamedTuple, NoReturn

from autograph.runtime.heap.attributes_in_c import refuse_in_c
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import apply
from autograph.staging.warning_calls import user_frames

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING,
          "warn": logging.WARNING, "error": logging.ERROR, "exception": logging.ERROR,
          "critical": logging.CRITICAL, "fatal": logging.CRITICAL}
"""Name of a method of a logger -> the level of its records."""


class LogLine(NamedTuple):
    """The file, line and function that a record names."""

    filename: str
    line: int
    function: str


def _handle(logger: Any, level: Any, message: Any, args: tuple[Any, ...], named: dict[str, Any],
            where: LogLine) -> None:
    """Has a logger make and handle a record, if it is enabled for the level."""
    if not isinstance(level, int):
        raise TypeError("level must be an integer")
    if not logger.isEnabledFor(level):
        return
    if isinstance(logger, logging.LoggerAdapter):
        message, kwargs = logger.process(message, named)
        _handle(logger.logger, level, message, args, dict(kwargs), where)
        return
    info = named.get("exc_info")
    if isinstance(info, BaseException):
        info = type(info), info, info.__traceback__
    elif info and not isinstance(info, tuple):
        info = sys.exc_info()
    stack = logger.findCaller(True)[3] if named.get("stack_info") else None
    logger.handle(logger.makeRecord(logger.name, level, *where[:2], message, args, info or None,
                                    where.function, named.get("extra"), stack))


LOG = Op("logging.log", _handle, lambda *args: PyType(type(None)), "", (), onnx=None,
         effect="print", doc="a record of `logging`, at a line of the user's")


def _log(logger: Any, level: Any, message: Any, *args: Any, stacklevel: int = 1, **named: Any
         ) -> None:
    """Log as Python does; in a trace, when the graph runs."""
    frames = [frame for frame in user_frames(sys._getframe(1)) if frame is not None]
    frame = frames[min(max(stacklevel, 1), len(frames)) - 1]
    where = LogLine(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
    here = trace.current_region()
    if here is None:
        _handle(logger, level, message, args, named, where)
        return
    for handler in _handlers(logger):
        if id(handler) in here.trace.visited:
            _refuse(handler)
    apply(LOG, logger, level, message, args, named, where)


def _handlers(logger: Any) -> Iterator[logging.Handler]:
    """Yields what handles the records of a logger."""
    while logger is not None:
        inner = isinstance(logger, logging.LoggerAdapter)
        yield from () if inner else logger.handlers
        logger = logger.logger if inner else logger.parent if logger.propagate else None


def _refuse(handler: logging.Handler) -> NoReturn:
    raise TracingError(
        f"a {type(handler).__name__} gets what the function logs, and the function uses it: what "
        f"it knows changes when the graph runs{at(user_location())}\n"
        "  hint: look at the handler outside the function", about_state=True)


def _refuse_setting(logger: logging.Logger, name: str) -> NoReturn:
    raise TracingError(
        f"{name}() changes the logger {logger.name!r}, and what the function logs is logged when "
        f"the graph runs{at(user_location())}\n"
        "  hint: set up loggers outside the function", about_state=True)


def _of_level(level: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method of loggers, or of `logging`'s function for the root."""
    given = {"exc_info": True} if function.__name__ == "exception" else {}
    is_method = "self" in function.__code__.co_varnames

    def replacement(*args: Any, **kwargs: Any) -> None:
        logger, *args_ = args if is_method else (_root(), *args)
        _log(logger, level, *args_, **{**given, **kwargs})

    return update_wrapper(replacement, function, updated=())


def _root() -> logging.Logger:
    """Returns the root logger, with a handler as `logging.info` and its like give it."""
    if not logging.root.handlers:
        logging.basicConfig()
    return logging.root


def _setting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method that changes a logger or a handler: it is refused where
    the graph decides if it is called, and where what the graph logs would find the change."""
    def replacement(owner: Any, *args: Any, **kwargs: Any) -> Any:
        here = trace.current_region()
        if here is not None and isinstance(owner, logging.Logger) and (
                any(e.op is LOG for e in here.trace.root.graph.walk())
                or any(isinstance(x, logging.Handler) and id(x) not in here.trace.visited
                       for x in args)):
            _refuse_setting(owner, function.__name__)
        if here is not None and (here.parent is not None or here.trace.mode.effects_at_run_time):
            refuse_in_c(owner, f"what {function.__name__}() sets")
        return function(owner, *args, **kwargs)

    return update_wrapper(replacement, function, updated=())


SETTING = ("setLevel", "addHandler", "removeHandler", "addFilter", "removeFilter", "setFormatter")

LOGGING_CALLS: dict[Any, Any] = {
    function: _of_level(level, function) for name, level in LEVELS.items()
    for owner in (logging, logging.Logger, logging.LoggerAdapter)
    if (function := getattr(owner, name, None)) is not None
} | {logging.Logger.log: _log, logging.LoggerAdapter.log: _log,
     logging.log: lambda *args, **kwargs: _log(_root(), *args, **kwargs)} | {
    vars(owner)[name]: _setting(vars(owner)[name]) for name in SETTING
    for owner in (logging.Logger, logging.Handler, logging.Filterer) if name in vars(owner)}
"""Function of `logging`, or method of its loggers -> its replacement."""
