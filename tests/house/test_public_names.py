"""Every public name has a docstring that says what it does, what it takes, and shows an example."""

import builtins
import inspect
from typing import Any

import pytest

import autograph as ag

OWN = {"": ("autograph",), "config.": (ag.config.__name__,),
       "debugging.": (ag.debugging.__name__, "autograph.runtime.api")}
"""The holders of public names, and the modules that define those."""

PUBLIC: dict[str, Any] = {
    prefix + name: found for prefix, modules in OWN.items()
    for name, found in (vars(getattr(ag, prefix[:-1])) if prefix else
                        {name: getattr(ag, name) for name in dir(ag)}).items()
    if (inspect.isfunction(found) or inspect.isclass(found)) and not name.startswith("_")
    and found.__module__.startswith(modules) and not hasattr(builtins, name)
}
ERRORS = {name for name, found in PUBLIC.items()
          if isinstance(found, type) and issubclass(found, Exception)}
SWITCHES = {"config.check_graphs", "debugging.enable_check_numerics",
            "debugging.disable_check_numerics", "debugging.disable_traceback_filtering",
            "debugging.enable_traceback_filtering"}
"""What changes the process: no example runs it."""


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - ERRORS - SWITCHES))
def test_public_name_has_a_full_docstring(name: str) -> None:
    doc = inspect.getdoc(PUBLIC[name]) or ""
    assert not doc.startswith(("Whether", "What"))
    generated = name.startswith("debugging.assert_")  # several functions share one text
    assert ">>> " in doc or generated
    takes = inspect.isfunction(PUBLIC[name]) and inspect.signature(PUBLIC[name]).parameters
    assert not takes or "Args:" in doc or " arguments " in doc or " argument" in doc


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_error_says_when_it_is_raised(name: str) -> None:
    assert (PUBLIC[name].__doc__ or "").startswith(("Raised ", "Warns", "Base class "))
