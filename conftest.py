"""Runs the blocks of the documentation as tests, says what is quick, and shares work fairly."""

import doctest
import gc
import linecache
import os
import re
import sys
from collections import defaultdict
from functools import cached_property
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

import autograph as ag
from autograph.runtime.functions import tiers
from autograph.runtime.native import work

ag.config.check_graphs(True)
if "AUTOGRAPH_NATIVE" in os.environ:  # machine code from each first call on, however small
    tiers.LOOK, tiers.COMPILING, tiers.WORTH = -1.0, 0.0, 1
    tiers.BETTER, work.PER_CALL = float("inf"), 0
AS_USERS = "AUTOGRAPH_PLAIN" in os.environ
ag.config.plain = AS_USERS  # tests are to see the converted form; the pages, what users see

# What a loaded machine is slow at is no failure.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite the *.test files of tests/ with what the compiler makes now")


def evaluate(example: Example) -> str:
    """Run a block: a session if it starts with a prompt, else code."""
    example.namespace.setdefault("__name__", "documentation")
    run = session if example.parsed.startswith(">>> ") else code
    ag.config.plain = True
    try:
        return run(str(example.parsed), f"<{example.path}, line {example.line}>", example.namespace)
    finally:
        ag.config.plain = AS_USERS


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


TIERS = {"quick": (4, 50), "standard": (10, 5)}
"""Of the calls of each test function a tier takes so many, or one of so many if that is more."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what each tier takes: a sample of the calls of a test function, and whole pages."""
    calls, slow = defaultdict(list), set()
    for item in items:
        page = item.path.suffix == ".md"
        calls[item.nodeid if page else item.nodeid.partition("[")[0]].append(item)
        if item.get_closest_marker("slow"):
            slow.add(item.path)
    for found in calls.values():
        found.sort(key=drawn)
        for tier, (at_least, one_of) in TIERS.items():
            for item in found[:max(at_least, len(found) // one_of)]:
                if tier != "quick" or not item.get_closest_marker("slow"):
                    item.add_marker(tier)
    items.sort(key=lambda item: item.path not in slow)  # so that none is left for the end


def pytest_collection_finish() -> None:
    """What is loaded by now stays: no collection of garbage is to look through it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Nor what a file of tests left: else each collection takes longer than the one before."""
    if nextitem is None or nextitem.path != item.path:
        pytest_collection_finish()


def drawn(item: pytest.Item) -> int:
    """A number that is the same in every run, and another one on another Python."""
    return crc32(f"{sys.version_info.minor} {item.nodeid}".encode())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Workers get whole files, since tests share fixtures and pages names; large ones in parts."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        @cached_property
        def parts(self) -> dict[str, str]:
            counts: dict[str, int] = defaultdict(int)
            parts = {}
            for name in self.collection:
                file = name.partition("::")[0]
                parts[name] = file if file.endswith(".md") else f"{file} {counts[file] // 200}"
                counts[file] += 1
            return parts

        def _split_scope(self, nodeid: str) -> str:
            return self.parts[nodeid]

    config.option.loadscopereorder = False
    return ByFile(config, log)
