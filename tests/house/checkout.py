"""What the house tests know about the checkout: its root, its files, its modules."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"autograph": "autograph", "runtime": "autograph.runtime", "tools": "autograph.tools"}


@cache
def files() -> tuple[str, ...]:
    """Every file of the repository, also those that are not committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # an unpacked sdist
        return tuple(sorted(p.relative_to(ROOT).as_posix() for p in ROOT.rglob("*")
                            if p.is_file() and p.relative_to(ROOT).parts[0] != "build"))
    return tuple(sorted(name for name in listed.stdout.splitlines() if (ROOT / name).exists()))


@cache
def text_of(file: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def tree_of(file: str) -> ast.Module:
    """The syntax tree of a Python file of the repository."""
    return ast.parse(text_of(file))


def python_files(*folders: str) -> list[str]:
    """The Python files below some top-level folders, or in all."""
    return [f for f in files() if f.endswith(".py") and (not folders or f.split("/")[0] in folders)]


def module_name(file: str) -> str:
    """The import name of a file: `runtime/ir/graph.py` is `autograph.runtime.ir.graph`."""
    folder, _, rest = file.removesuffix(".py").removesuffix("/__init__").partition("/")
    return ".".join([PACKAGES[folder], *(rest.split("/") if rest else [])])


@cache
def modules() -> dict[str, str]:
    """Every module of the product and its file."""
    return {module_name(file): file for file in python_files(*PACKAGES)}
