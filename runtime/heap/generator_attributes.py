"""Attributes of generators, for which a trace has something else."""

from __future__ import annotations

from types import GeneratorType
from typing import NoReturn

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.symbolic.source_locations import user_location

OF_GENERATORS = frozenset(name for name in vars(GeneratorType)
                          if not callable(getattr(GeneratorType, name))) - vars(object).keys()
"""The attributes of Python's generators that are no methods."""


def refuse_attribute(name: str) -> NoReturn:
    """Refuses an attribute of a generator for which a trace has something else."""
    raise TracingError(
        f"{name} of a generator is read, of which only the run knows how far it was read"
        f"{at(user_location())}\n  hint: leave the function to Python with @ag.do_not_convert")
