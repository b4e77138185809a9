"""Traces in the cache on disk: found if all that they depend on is the same, and not else."""

import functools
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function import disk_traces
from autograph.function.dependencies import Dependencies, Unknown, error_modes, key_text
from autograph.operators import dispatch
from tests.house.checkout import ROOT

PROGRAM = """
import numpy as np
import autograph as ag
from helpers import weight

LIMIT = 3
STEP = 0.5

def half(v, power=2):
    return (v ** power) * STEP

def made(scale):
    @ag.function
    def f(x, times=2):
        total = 0.0
        for i in range(len(x)):
            if x[i] > LIMIT:
                total += half(x[i]) * scale
            elif x[i] < -LIMIT:
                total -= weight(x[i])
            else:
                total += np.sqrt(abs(x[i])) * times
        return total
    return f

f = made(1.5)
"""

HELPERS = """
import math

def weight(v):
    return v * math.pi if v > -9 else -v
"""

RUN = """
import sys
import numpy as np
from autograph.function import disk_traces
disk_traces.WORTH, disk_traces.SHARE = 0.0, 1e9
keys, find, found = disk_traces.DiskTraces.key, disk_traces.DiskTraces.find, []
def asked(self, call):
    key = keys(self, call)
    found.append("none" if key is None else "new")
    return key
def noted(self, key, call):
    concrete = find(self, key, call)
    found[-1] = "new" if concrete is None else "hit"
    return concrete
disk_traces.DiskTraces.key, disk_traces.DiskTraces.find = asked, noted
sys.dont_write_bytecode = True
import program
EDIT
x = np.arange(-10.0, 6.0)
got = [program.f(x), program.f(x[:5]), program.f(x.astype(np.float32)), program.f(x, 3)]
plain = program.f.python_function
assert got == [plain(x), plain(x[:5]), plain(x.astype(np.float32)), plain(x, 3)], got
print(*found)
"""


class Project:
    """A program in a folder, with a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = {"program.py": PROGRAM, "helpers.py": HELPERS}

    def run(self, edit: str = "", **environment: str) -> str:
        """Returns what became of the calls in a new process."""
        for name, text in self.texts.items():
            (self.folder / name).write_text(text)
        env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{self.folder}",
               "AUTOGRAPH_CACHE": str(self.folder / "cache"), **environment}
        run = subprocess.run([sys.executable, "-c", RUN.replace("EDIT", edit)], env=env,
                             capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout.strip()

    def change(self, old: str, new: str, name: str = "program.py") -> None:
        assert old in self.texts[name]
        self.texts[name] = self.texts[name].replace(old, new)


NEW, HIT, NONE = (" ".join([word] * 4) for word in ("new", "hit", "none"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_another_process_finds_what_one_made(project: Project) -> None:
    assert [project.run() for _ in range(3)] == [NEW, HIT, HIT]


def test_locations_are_in_the_users_file(project: Project) -> None:
    edit = """
inner = disk_traces.unpacked
def located(data, files):
    s = inner(data, files)
    assert {e.location.filename for e in s.program.graph.walk()} <= {
        program.__file__, program.__file__.replace("program.py", "helpers.py")}
    return s
disk_traces.unpacked = located
"""
    project.run()
    assert project.run(edit) == HIT


@pytest.mark.parametrize(("old", "new"), [
    ("STEP = 0.5", "STEP = 0.25"), ("LIMIT = 3", "LIMIT = 3.0"), ("made(1.5)", "made(2.5)"),
    ("power=2", "power=3"), ("v ** power", "v * power"), ("times=2", "times=4"),
    ("import numpy as np\n", "import numpy as np\n\n"),
])
def test_a_change_is_traced_anew(project: Project, old: str, new: str) -> None:
    project.run()
    project.change(old, new)
    assert "hit" not in project.run()
    assert project.run() == HIT


def test_a_change_of_a_module_that_is_used(project: Project) -> None:
    project.run()
    project.change("math.pi", "math.e", "helpers.py")
    assert project.run() == NEW


@pytest.mark.parametrize("edit", [
    "program.STEP = 7.5", "program.weight = lambda v: 0.5", "program.half.__defaults__ = (5,)",
    "program.f.python_function.__closure__[0].cell_contents = 9.5",
    "import helpers; helpers.weight.__code__ = (lambda v: v - 1).__code__",
])
def test_what_the_program_changes_itself(project: Project, edit: str) -> None:
    project.run()
    assert "hit" not in project.run(edit)


@pytest.mark.parametrize("edit", [
    "program.STEP = np.array(0.5)", "program.half = __import__('functools"
    "').lru_cache(program.half)", "program.weight = type('W', (), {'__call__': lambda s, v: v})()",
    "import math; keep = math.pi; math.pi = np.array(3.0)",
    "program.np = type('N', (), {'sqrt': staticmethod(lambda v: v + 1)})",
    "import builtins; was = abs; builtins.abs = lambda v: was(v) + 1",
    "import autograph as ag; ag.register_replacement(program.weight, lambda v: v * 3.25)"
    "; program.f.python_function = lambda *a: program.f(*a)",
])
def test_what_cannot_be_shown_is_traced_as_ever(project: Project, edit: str) -> None:
    project.run()
    assert "hit" not in project.run(edit)


def test_switches_have_traces_of_their_own(project: Project) -> None:
    project.run()
    assert project.run(AUTOGRAPH_STRICT="1") == NEW
    assert project.run() == HIT


def test_damaged_and_foreign_entries(project: Project) -> None:
    """What is no trace, or one of another program, is not used."""
    project.run()
    entries = sorted((project.folder / "cache").iterdir())
    for path in entries:
        path.write_bytes(path.read_bytes()[:-3])
    assert project.run() == NEW
    code = ("from autograph.runtime.disk import cache; import sys\n"
            "for k in sys.argv[1:]: cache.keep(k, b'{\"format\": 1}')")
    subprocess.run([sys.executable, "-c", code, *(p.stem for p in entries)], check=True, env={
        **os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_CACHE": str(project.folder / "cache")})
    assert project.run() == NEW


# -- in one process -------------------------------------------------------------------------------


@pytest.fixture
def on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A cache that keeps every trace; the keys that were kept."""
    monkeypatch.setattr(disk_traces, "WORTH", 0.0)
    monkeypatch.setattr(disk_traces, "SHARE", 1e9)
    monkeypatch.setattr(dispatch, "_replaced", False)  # by another test of this process
    kept: list[str] = []
    keep = disk_traces.cache.keep
    monkeypatch.setattr(disk_traces.cache, "keep", lambda k, d: (kept.append(k), keep(k, d)))
    ag.config.cache_dir = tmp_path / "cache"
    yield kept
    ag.config.cache_dir = None


seen: list[int] = []
numbers = [1, 2]
table = np.arange(4.0)
count = 0


def prints(x: Any) -> Any:
    print("traced")
    return x + 1


def appends(x: Any) -> Any:
    seen.append(1)
    return x + 1


def counts(x: Any) -> Any:
    global count
    count += 1
    return x + count


def reads_list(x: Any) -> Any:
    return x + numbers[0]


def reads_array(x: Any) -> Any:
    return x + table


def imports(x: Any) -> Any:
    import math
    return x * math.pi


def draws(x: Any) -> Any:
    return x + np.random.rand()  # noqa: NPY002


def opens(x: Any) -> Any:
    return x + len(np.get_include())


def looks(x: Any) -> Any:
    return x + len(np.geterr())


def through_names(x: Any) -> Any:
    return x + opens.__globals__["count"]


def makes_a_class(x: Any) -> Any:
    class Held:
        part = x
    return Held.part + 1


@pytest.mark.parametrize(
    "f", [prints, appends, counts, reads_list, reads_array, imports, draws, opens, looks,
          through_names, makes_a_class], ids=lambda f: f.__name__)
def test_effects_and_objects_are_not_kept(f: Any, on_disk: list[str]) -> None:
    ag.function(f)(np.arange(4.0))
    assert on_disk == []


def test_arguments_that_are_objects(on_disk: list[str]) -> None:
    class Point:
        x = 2.0

    f = ag.function(lambda p, x: x * p.x)
    assert f(Point(), 2.0) == 4.0
    g = ag.function(lambda xs, x: [*xs, x])
    assert g([1.0], 2.0) == [1.0, 2.0]
    assert ag.function(lambda kind, x: np.zeros(2, kind) + x)(np.float32, 1.0).dtype == np.float32
    assert len(on_disk) <= 1  # the list of numbers


settings = types.ModuleType("settings")
other_settings = types.ModuleType("settings")
settings.scale, other_settings.scale = 1.0, 2.0


def reads_both(x: Any) -> Any:
    return x * settings.scale * other_settings.scale


def passes_a_module(x: Any) -> Any:
    chosen = settings
    return x * chosen.scale


def formats_a_module(x: Any) -> Any:
    return x * len("{.scale}".format(settings))  # noqa: UP032


def matches_a_module(x: Any) -> Any:
    match settings:
        case object(scale=s):
            return x * s


def hashes(x: Any) -> Any:
    return x + hash("a")


def loops_over_a_set(x: Any) -> Any:
    for name in {"a", "bb"}:
        x = x * 2 + len(name)
    return x


def makes_a_set(x: Any) -> Any:
    for name in {c + c for c in "abc"}:
        x = x * 2 + len(name)
    return x


def makes_a_set_of_keys(x: Any) -> Any:
    for name in {"a": 1, "bb": 2}.keys() & ["bb", "a"]:
        x = x * 2 + len(name)
    return x


def looks_at_the_clock(x: Any) -> Any:
    return x + np.datetime64("now", "ms").astype(np.int64)


def searches_a_set(x: Any, name: str = "a") -> Any:
    return x * 2 if name in {"a", "b"} else x


@pytest.mark.parametrize(
    "f", [passes_a_module, formats_a_module, matches_a_module, hashes, loops_over_a_set,
          makes_a_set, makes_a_set_of_keys, looks_at_the_clock], ids=lambda f: f.__name__)
def test_what_differs_from_process_to_process_is_unknown(f: Any) -> None:
    Dependencies().value(searches_a_set)
    with pytest.raises(Unknown):
        Dependencies().value(f)


def text_of(f: Any) -> list[str]:
    found = Dependencies()
    found.value(f)
    return found.parts


def test_modules_of_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text_of(reads_both)
    monkeypatch.setattr(other_settings, "scale", 3.0)
    assert text_of(reads_both) != before


def test_text_that_means_the_clock() -> None:
    for x in ("now", b"Today", ("a", " NOW ")):
        with pytest.raises(Unknown):
            Dependencies().value(x)
        with pytest.raises(Unknown):
            key_text(x)


def test_constants_are_computed_as_numpy_is_set(on_disk: list[str]) -> None:
    """What is computed while tracing raises or not as NumPy and the warnings are set."""
    def f(x: Any) -> Any:
        return x + np.float64(1.0) / np.float64(0.0)

    with np.errstate(divide="ignore"):
        ag.function(f)(np.ones(2))
    assert len(on_disk) == 1
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        ag.function(f)(np.ones(2))
    with np.errstate(divide="warn"), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            ag.function(f)(np.ones(2))
    with np.errstate(divide="print"), pytest.raises(Unknown):
        error_modes()


def test_a_trace_that_warned_is_made_again(on_disk: list[str]) -> None:
    @ag.do_not_convert
    def told() -> float:
        warnings.warn("told", RuntimeWarning, stacklevel=1)
        return 1.0

    def f(x: Any) -> Any:
        return x + told()

    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="told"):
            ag.function(f)(np.ones(2))
    assert not on_disk


def test_a_trace_from_disk_tells_the_errors_of_constants(on_disk: list[str]) -> None:
    def f(x: Any) -> Any:
        return x + np.float64(2.0) / np.float64(0.0)

    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            ag.function(f)(np.ones(2))
    assert on_disk


def found_again(f: Any, *arguments: Any) -> tuple[Any, Any]:
    """Two functions of one source: the first is traced, the second read."""
    first, second = ag.function(f), ag.function(f)
    return (first, first(*arguments)), (second, second(*arguments))


def loops(x: Any, y: Any) -> Any:
    for i in range(len(x)):
        if x[i] > 0:
            y[i] = y[i] * x[i] + 1
    return {"sum": y.sum(), "parts": (x, [y[::2]])}


def test_what_is_read_does_what_was_traced(on_disk: list[str]) -> None:
    x, y = np.linspace(-2, 2, 9), np.arange(9.0)
    plain, traced, read = (y.copy() for _ in range(3))
    wanted = loops(x, plain)
    (first, a), (second, b) = ((f, f(x, out)) for f, out in (
        (ag.function(loops), traced), (ag.function(loops), read)))
    assert len(on_disk) == 1
    assert repr(a) == repr(b) == repr(wanted)
    assert a["parts"][0] is b["parts"][0] is x
    assert np.array_equal(plain, traced)
    assert np.array_equal(plain, read)
    with pytest.raises(IndexError, match="index 9"):
        second(np.ones(10), np.ones(9))
    assert str(second.graph(x, y)) == str(first.graph(x, y))
    assert second.explain(x, y)


def test_derivatives_of_what_is_read(on_disk: list[str]) -> None:
    def cube(x: Any) -> Any:
        return (x * x * x).sum() if x[0] > 0 else x.sum()

    _, (f, _) = found_again(cube, np.array([1.0, 2.0]))
    assert len(on_disk) == 1
    assert np.allclose(ag.grad(f)(np.array([1.0, 2.0])), [3.0, 12.0])
    assert np.allclose(ag.grad(ag.function(cube))(np.array([1.0, 2.0])), [3.0, 12.0])
    assert len(on_disk) == 1


def test_arrays_that_are_given_twice(on_disk: list[str]) -> None:
    def shift(x: Any, y: Any) -> Any:
        x[1:] = y[:-1]
        return x + y

    one, other = ag.function(shift), ag.function(shift)
    for f in (one, other):
        x = np.arange(5.0)
        plain = np.arange(5.0)
        assert np.array_equal(f(x, x), shift(plain, plain))
        assert np.array_equal(f(np.arange(5.0), np.ones(5)), shift(np.arange(5.0), np.ones(5)))
        base, twin = np.arange(6.0), np.arange(6.0)
        assert np.array_equal(f(base[:5], base[1:]), shift(twin[:5], twin[1:]))


def test_a_function_without_a_module_or_file() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x): return x", scope)
    with pytest.raises(Unknown):
        Dependencies().value(scope["f"])


def test_a_function_in_the_place_of_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that looks like it."""
    @functools.wraps(np.sum)
    def sum_(x: Any) -> Any:
        return x

    monkeypatch.setattr(np, "sum", sum_)
    with pytest.raises(Unknown):
        Dependencies().value(np.sum)


def test_there_is_no_text_of_an_object() -> None:
    for x in (object(), [1], {1: 2}, np.ones(2), type("C", (), {}), np.dtype("O"), print, open,
              np.load, np.random.rand, np.vectorize(abs), np.frompyfunc(abs, 1, 1)):
        with pytest.raises(Unknown):
            Dependencies().value(x)
    for y in (1, "a", (1, (2.5, None)), np.float32(1), np.dtype("f4"), np.sum, np.where, np.sin,
              np.linalg.norm, np.zeros, len, int, ValueError, np.float64):
        Dependencies().value(y)
