"""TensorFlow's `tf.autograph.experimental`, and what else a program that moves here may say."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from autograph.conversion import convert as _convert
from autograph.conversion.conversion_rules import is_generated
from autograph.conversion.convert import do_not_convert as do_not_convert
from autograph.syntax.directives import set_loop_options as set_loop_options
from autograph.traceback_filter import hide

F = TypeVar("F", bound=Callable[..., Any])

LISTED = ("ControlStatusCtx", "Feature", "Status", "control_status_ctx", "do_not_convert",
          "set_loop_options", "to_code", "to_graph")
"""What is for users."""


def __dir__() -> list[str]:
    return sorted(LISTED)


class Feature(enum.Enum):
    """TensorFlow's optional features, accepted by `to_graph` and `to_code`.

    All of them are always on here: asserts and `print` are staged, `==` compares element by
    element, lists can grow in loops, effects happen in order, and names of nodes come from the
    program's variables.

    >>> Feature.all_but(Feature.LISTS)[:2]
    (<Feature.ALL: 'ALL'>, <Feature.AUTO_CONTROL_DEPS: 'AUTO_CONTROL_DEPS'>)
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Iterable[Feature]) -> tuple[Feature, ...]:
        """Every feature but one, or but some."""
        left_out = _features(exclude)
        return tuple(feature for feature in cls if feature not in left_out)


def _features(given: object) -> tuple[Feature, ...]:
    """One feature, several or None, as a tuple; TypeError for anything else."""
    found = () if given is None else (given,) if isinstance(given, Feature) else tuple(
        given) if isinstance(given, Iterable) else (given,)
    for feature in found:
        if not isinstance(feature, Feature):
            raise TypeError(f"{feature!r} is not one of ag.Feature")
    return found


def to_graph(entity: F, recursive: bool = True, experimental_optional_features: Any = None) -> F:
    """Returns the converted form of a function: `ag.convert` under TensorFlow's name.

    Args:
      entity: a function or a class.
      recursive: if False, the functions that it calls are not converted.
      experimental_optional_features: `Feature`s, which are always on.

    Returns:
      A function with the same parameters and, for plain values, the same results.

    Raises:
      ConversionError: there is no source, or the function cannot be converted.
      TypeError: something else than features is given as features.

    >>> to_graph(lambda x: 1 if x > 0 else -1)(3)
    1
    """
    try:
        _features(experimental_optional_features)
        return _convert.convert(entity, recursive=recursive)
    except BaseException:
        hide()
        raise


def to_code(entity: Callable[..., Any], recursive: bool = True,
            experimental_optional_features: Any = None) -> str:
    """Returns the source of a function after conversion, which runs after `import autograph as ag`.

    Args:
      entity: a function or a class.
      recursive: if False, calls in it are not converted.
      experimental_optional_features: `Feature`s, which are always on.

    Returns:
      The text.

    Raises:
      ConversionError: there is no source, or the function cannot be converted.
      TypeError: something else than features is given as features.

    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> print(to_code(sign), end="")
    def sign(x):
        return ag.cond(x > 0, lambda: 1, lambda: -1)
    """
    try:
        _features(experimental_optional_features)
        return _convert.to_code(entity, recursive=recursive)
    except BaseException:
        hide()
        raise


class Status(enum.Enum):
    """Tells if code runs converted: the `status` of `control_status_ctx()`.

    >>> Status.ENABLED.name
    'ENABLED'
    """

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


@dataclass(frozen=True)
class ControlStatusCtx:
    """The result of `control_status_ctx`: its `status`."""

    status: Status


def control_status_ctx() -> ControlStatusCtx:
    """Tells if the calling code runs converted.

    Returns:
      An object whose `status` is `Status.ENABLED` or `Status.DISABLED`.

    >>> def here():
    ...     return control_status_ctx().status.name
    >>> here(), _convert.convert(here)()
    ('DISABLED', 'ENABLED')
    """
    converted = is_generated(sys._getframe(1).f_code)
    return ControlStatusCtx(Status.ENABLED if converted else Status.DISABLED)
