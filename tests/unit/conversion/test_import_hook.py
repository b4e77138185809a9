"""Whole packages are converted as they are imported."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import autograph as ag
from autograph.conversion import import_hook
from autograph.conversion.conversion_rules import is_generated
from autograph.conversion.import_hook import _Finder, code_of

INIT = '''"""A package."""
from __future__ import annotations

from functools import wraps

from .inner import Shape, evens

__all__ = ["clip", "Shape"]


def doubled(f):
    @wraps(f)
    def wrapper(*args, **kwargs):
        return 2 * f(*args, **kwargs)
    return wrapper


@doubled
def clip(x: int, most: int = 10) -> int:
    """Returns x, but no more than most."""
    if x > most:
        return most
    for k in range(3):
        if k == x:
            break
    else:
        x += 1
    return x


def line() -> int:
    raise ValueError("here")


def slow():
    yield from evens(4)
'''
INNER = '''class Shape:
    size = 3

    def __init__(self, size=None):
        if size is not None:
            self.size = size

    def grown(self):
        class Inner:
            pass
        Inner.size = self.size + 1
        return super().__repr__() and Inner


def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i


def nested(x):
    def inner():
        nonlocal x
        while x < 5:
            x += 2
        return x
    return inner()
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"converted_{tmp_path.name.replace('-', '_')}"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(INIT)
    (tmp_path / name / "inner.py").write_text(INNER)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    for module in [m for m in sys.modules if m.partition(".")[0] == name]:
        del sys.modules[module]
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            finder.packages.discard(name)


def test_every_function_is_converted_and_means_the_same(package: str) -> None:
    ag.convert_imports(package)
    made = importlib.import_module(package)
    inner = importlib.import_module(f"{package}.inner")
    assert [made.clip(x) for x in (1, 7, 20)] == [2, 16, 20]
    assert made.clip.__doc__ == "Returns x, but no more than most."
    assert made.clip.__wrapped__.__annotations__ == {"x": "int", "most": "int", "return": "int"}
    assert list(made.slow()) == [0, 2] and inner.nested(2) == 6
    assert made.Shape(4).grown().size == 5 and made.Shape().size == 3
    assert is_generated(made.clip.__wrapped__.__code__) and is_generated(inner.nested.__code__)
    assert made.__doc__ == "A package."


def test_what_was_compiled_is_kept_until_the_file_changes(
        package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    ag.convert_imports(package)
    importlib.import_module(package)
    made: list[str] = []

    def noting(text: str, filename: str, plain: CodeType) -> CodeType:
        made.append(Path(filename).name)
        return code_of(text, filename, plain)

    monkeypatch.setattr(import_hook, "code_of", noting)
    again = imported_again(package)
    assert again.clip(20) == 20 and again.Shape(4).grown().size == 5
    assert is_generated(again.clip.__wrapped__.__code__) and not made
    inner = tmp_path / package / "inner.py"
    inner.write_text(INNER.replace("size = 3", "size = 30"))
    assert imported_again(package).Shape.size == 30 and made == ["inner.py"]
    monkeypatch.setattr(import_hook, "_made_by", lambda: "another")
    imported_again(package)
    assert sorted(made[1:]) == ["__init__.py", "inner.py"]


def test_nothing_is_kept_if_python_keeps_nothing(
        package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    ag.convert_imports(package)
    assert importlib.import_module(package).clip(20) == 20
    assert not list(tmp_path.rglob("*.pyc"))


def imported_again(package: str) -> Any:
    for module in [m for m in sys.modules if m.partition(".")[0] == package]:
        del sys.modules[module]
    return importlib.import_module(package)


def test_lines_are_the_users(package: str) -> None:
    ag.convert_imports(package)
    made = importlib.import_module(package)
    with pytest.raises(ValueError, match="here") as raised:
        made.line()
    last = raised.traceback[-1]
    assert (last.lineno + 1, Path(str(last.path)).name) == (
        INIT.splitlines().index('    raise ValueError("here")') + 1, "__init__.py")


def test_what_cannot_be_imported_is_said(package: str) -> None:
    importlib.import_module(package)
    with pytest.raises(ImportError, match="has been imported already"):
        ag.convert_imports(package)
    with pytest.raises(ModuleNotFoundError):
        ag.convert_imports("no_such_package_at_all")


def test_command(package: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import sys, {package}\nprint({package}.clip(20), sys.argv[1:], __name__)\n")
    command = [sys.executable, "-m", "autograph", "run", "--convert", package]
    for rest in ([str(script), "a", "--b"], ["-m", "script", "a", "--b"]):
        done = subprocess.run([*command, *rest], capture_output=True, text=True, check=False,
                              cwd=tmp_path)
        assert done.stdout == "20 ['a', '--b'] __main__\n", done.stderr
    done = subprocess.run([*command, "--convert", "no_such", str(script)], capture_output=True,
                          text=True, check=False, cwd=tmp_path)
    assert (done.returncode, "no_such" in done.stderr) == (2, True)
