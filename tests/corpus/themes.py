"""The modules of the corpus, found by walking its folders."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from tests.corpus import language, library, numpy, state


def themes(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a folder that hold programs."""
    for found in pkgutil.iter_modules(package.__path__):
        if not found.ispkg and not found.name.startswith("test_"):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            if hasattr(module, "CASES"):
                yield module


THEMES = [theme for folder in (language, library, numpy, state) for theme in themes(folder)]
