"""The printed text: the same on every run and every Python, and a program as it stands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import autograph as ag
from autograph.conversion.module import Module
from autograph.runtime.heap.run_time_containers import AT_RUN_TIME
from tests.corpus.case import Case
from tests.corpus.cases import GAPS, OTHER_WARNINGS
from tests.corpus.cases import PROGRAMS as CASES
from tests.corpus.language.meaning import GUARD, PROGRAMS
from tests.house.checkout import ROOT
from tests.support.amount import one_of, sample
from tests.support.compiler import outcome
from tests.support.outcome import run
from tests.support.program_files import load, write
from tests.unit.conversion import texts

LIBRARY = sorted(p for p in Path(sysconfig.get_path("stdlib")).rglob("*.py")
                 if not {"site-packages", "lib2to3", "test"} & set(p.parts))
OURS = sorted(p for part in ("examples", "autograph", "runtime", "tools", "tests/corpus")
              for p in (ROOT / part).rglob("*.py"))
EVERY = one_of(4)
SAMPLE = [*OURS[::5 * EVERY], *LIBRARY[::60 * EVERY]]
MORE = [*OURS[1::4 * EVERY], *LIBRARY[7::40 * EVERY]]
"""Other files than those of the sample; four times as many with `AUTOGRAPH_TESTS=1000`."""

OTHERS = "AUTOGRAPH_PYTHONS"
"""The environment variable that names other interpreters, with what the tests need."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The programs of the corpus, each in a file."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, source in PROGRAMS.items():
        (folder / f"{name}.py").write_text(GUARD + source, encoding="utf-8")
    return sorted(folder.iterdir())


def digests(python: str, files: Sequence[Path], seed: str = "0") -> dict[str, str]:
    """What another process prints for the files."""
    done = subprocess.run([python, "-W", "ignore", "-m", texts.__name__, *map(str, files)],
                          cwd=ROOT, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)})
    return {name: digest for digest, _, name in (
        line.rpartition(" ") for line in done.stdout.splitlines())}


@pytest.mark.slow
def test_same_under_every_hash_seed(corpus: list[Path]) -> None:
    files = [*corpus, *SAMPLE][::1 if EVERY == 1 else 2]
    made = [digests(sys.executable, files, seed) for seed in ("1", "2")]
    assert made[0] == made[1]
    assert len(made[0]) == len(files) > 30 < len({*made[0].values()})


@pytest.mark.slow
def test_more_files_same_under_every_hash_seed() -> None:
    assert digests(sys.executable, MORE, "0") == digests(sys.executable, MORE, "random")


def interpreters() -> Iterator[str]:
    """Other supported Pythons that can run this checkout: named, made by `.ci/run`, on the path."""
    names = [f"python3.{minor}" for minor in (11, 12, 13)]
    found = [*os.environ.get(OTHERS, "").split(os.pathsep),
             *(str(ROOT / f"build/venv-{name[6:]}/bin/python") for name in names),
             *(shutil.which(name) or "" for name in names)]
    versions = {sys.version_info[:2]}
    for python in filter(os.path.exists, found):
        asked = subprocess.run(
            [python, "-c", "import sys, gast, astunparse, numpy; print(*sys.version_info[:2])"],
            capture_output=True, text=True, check=False)
        version = tuple(map(int, asked.stdout.split()))
        if asked.returncode == 0 and version not in versions:
            versions.add(version)
            yield python


def same_on_other_pythons(files: list[Path]) -> None:
    others = list(interpreters())
    if not others:
        pytest.skip(f"no other Python with gast, astunparse and numpy; {OTHERS} may name some")
    here = digests(sys.executable, files)
    for python in others:
        there = digests(python, files)
        readable = {name for name in here if "no Python" not in (here[name], there[name])}
        assert len(readable) > 0.9 * len(files)  # newer libraries are written in newer Python
        assert {n for n in readable if here[n] != there[n]} == set(), python


def test_same_on_other_pythons(corpus: list[Path]) -> None:
    same_on_other_pythons([*corpus, *SAMPLE])


@pytest.mark.slow
def test_more_files_same_on_other_pythons() -> None:
    same_on_other_pythons(MORE)


# -- it runs ---------------------------------------------------------------------------------------

IMPORT = "import autograph as ag"


@pytest.mark.parametrize("name", PROGRAMS)
def test_printed_corpus_runs_like_the_plain_one(tmp_path: Path, name: str) -> None:
    """The text of a whole file; what it needs is in it."""
    source = GUARD + PROGRAMS[name]
    module = Module(source, f"{name}.py")
    text = module.convert(f for f in module.every() if f.class_name is None).text
    assert IMPORT in text or "ag." not in text
    plain, printed = (load(write(folder, t, "printed_or_plain")) for folder, t in (
        (made(tmp_path / "plain"), source), (made(tmp_path / "printed"), text)))
    for n in range(8):
        assert outcome(printed.f, n) == outcome(plain.f, n)


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    """The test programs by name, from the printed text of their modules."""
    folder = tmp_path_factory.mktemp("printed")
    cases: list[Case] = []
    for theme in {case.function.__module__: None for case in CASES}:
        path = Path(sys.modules[theme].__file__ or "")
        module = Module(path.read_text(encoding="utf-8"), str(path))
        made = module.convert(module.every())
        assert [o.error for o in made.outcomes if o.error] == []
        (folder / path.name).write_text(made.text, encoding="utf-8")
        cases += load(folder / path.name).CASES
    return {case.name: case for case in cases}


def calls_itself(case: Case) -> bool:
    """Whether it is a recursion on symbolic values: printed functions of one file call each other
    directly, so that a trace that is not converted does not see the calls."""
    return case.name.startswith("recursion") or case.name in (
        "calls.factorial", "calls.even", "closures.recursion_inside", "nodes.search_tree",
        "ordinary_calls.quicksort_arg")


def holds_objects(case: Case) -> bool:
    """Whether a container is known only at run time: what is not converted cannot tell which."""
    function = ag.function(case.function)
    for arguments in case.arguments:
        run(function, arguments)
    traces = function.__ag_dispatcher__.traces.values()
    return any(d.kind == AT_RUN_TIME for c in traces for d in c.program.decisions)


@pytest.mark.slow
@pytest.mark.parametrize("case", sample(CASES, 3), ids=lambda case: case.name)
def test_printed_program_gives_the_same_results(printed: dict[str, Case], case: Case) -> None:
    """As plain Python, and traced without being converted again."""
    twin, told = printed[case.name], case.name not in OTHER_WARNINGS
    traced = ag.function(twin.function, autograph=False)
    for mine, others in zip(twin.arguments, case.arguments, strict=True):
        plain = run(case.function, others).describe(told)
        assert run(twin.function, mine).describe(told) == plain
        if f"traced: {case.name}" not in GAPS and not calls_itself(case):
            assert run(traced, mine).describe(told) == plain or holds_objects(case)
