"""Optional libraries: imported when they are wanted, with an error that names the extra."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, extra: str) -> Any:
    """Returns a module of an optional library.

    Args:
      module: its dotted name.
      extra: the extra of this package that installs it.

    Raises:
      ImportError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        missing = isinstance(error, ModuleNotFoundError) and error.name == package
        raise ImportError(f"this needs {package}, which is not installed ({error})\n"
                          f"  hint: pip install 'autograph-numpy[{extra}]'"
                          ) from None if missing else error
