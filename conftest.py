"""Runs the Python blocks of the README and the documentation as tests; every graph is checked."""

import doctest
import linecache
import re

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

import autograph as ag

ag.config.check_graphs(True)

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite the *.test files of tests/ with what the compiler makes now")


def evaluate(example: Example) -> str:
    """Run a block: a session if it starts with a prompt, else code."""
    example.namespace.setdefault("__name__", "documentation")
    run = session if example.parsed.startswith(">>> ") else code
    return run(str(example.parsed), f"<{example.path}, line {example.line}>", example.namespace)


def code(source: str, name: str, namespace: dict[str, object]) -> str:
    """Run under a file name known to `linecache`: functions have a source, as in a notebook."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), namespace)
    return ""


def session(source: str, name: str, namespace: dict[str, object]) -> str:
    """Run as a doctest in which expected output may hold blank lines; returns what differs."""
    text = re.sub(r"\n\n(?!>>> |\Z)", "\n<BLANKLINE>\n", source)
    test = doctest.DocTestParser().get_doctest(text, namespace, name, name, 0)
    differences: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=differences.append, clear_globs=False)
    namespace.update(test.globs)
    return "".join(differences)


pytest_collect_file = Sybil(
    parsers=[CodeBlockParser("python", evaluate)],
    patterns=["README.md", "docs/*.md", "docs/tf-function/*.md", "docs/how-to/*.md"],
).pytest()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Ids without addresses: tests run in several processes must have the same names in each."""
    shown = repr(val)
    named = ADDRESS.sub("", shown)
    return named if named != shown else None
