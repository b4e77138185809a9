"""Tracebacks: the user's frames, lines and carets, and none of ours unless they are asked for."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import autograph as ag
from tests.support.program_files import program, write

PROGRAM = """
    import numpy as np
    import autograph as ag

    def helper(x):
        if x > 2:
            raise ValueError("too big")
        return x

    def in_a_loop(n):
        total = 0
        for i in range(n):
            while total < n:
                total += helper(total) + 1
        return total

    def in_an_operand(n):
        return n > 0 and n < 3 or 1 // (n - 5)

    def in_a_key(n):
        return sorted([n, 0], key=lambda v: 1 // v)

    def asserted(n):
        assert n < 0, "not negative"
        return n

    def unbound(n):
        if n < 0:
            y = 1
        return y

    def item(n):
        table = {}
        return table[n]

    def raised_in_a_branch(x):
        if x > 2:
            if x > 3:
                raise KeyError("found")
        return x

    def index_in_a_loop(x):
        i = 0
        while x[i] > 0:
            i += 1
        return i

    def raises_while_traced(x):
        while np.sum(x) < 10:
            x = np.concatenate([x, int("seven")])
        return x
    """

PLAIN = {"in_a_loop": ('raise ValueError("too big")', ValueError),
         "asserted": ("assert", AssertionError),
         "in_an_operand": ("1 // (n - 5)", ZeroDivisionError), "item": ("table[n]", KeyError),
         "in_a_key": ("1 // v", ZeroDivisionError), "unbound": ("return y", UnboundLocalError)}
STAGED = {"raised_in_a_branch": ("raise KeyError", KeyError, np.float64(5)),
          "index_in_a_loop": ("while x[i] > 0", IndexError, np.ones(3)),
          "asserted": ("assert", AssertionError, np.int64(3)),
          "in_a_loop": ("raise ValueError", ValueError, np.int64(5)),
          "raises_while_traced": ('int("seven")', ValueError, np.ones(3))}


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    return program(tmp_path, PROGRAM)


def frames_of(call: Callable[[], object], kind: type) -> list[traceback.FrameSummary]:
    """The frames of what a call raises, without that of this function."""
    with pytest.raises(kind) as caught:
        call()
    return [f for f in traceback.extract_tb(caught.value.__traceback__)
            if f.filename != __file__ and os.sep + "_pytest" + os.sep not in f.filename]


def ours(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    folder = os.path.dirname(ag.__file__)
    return [f for f in frames if f.filename.startswith((folder, "<dispatch", "<graph"))]


@pytest.mark.parametrize("name", PLAIN)
def test_on_python_values(module: ModuleType, name: str) -> None:
    text, kind = PLAIN[name]
    frames = frames_of(lambda: ag.convert(getattr(module, name))(5), kind)
    assert {f.filename for f in frames} == {module.__file__}
    assert text in (frames[-1].line or "") and frames[-1].colno is not None


@pytest.mark.parametrize("name", STAGED)
def test_on_arrays(module: ModuleType, name: str) -> None:
    """While tracing or when the graph runs: the last frame is the user's line, with columns."""
    text, kind, value = STAGED[name]
    f = ag.function(getattr(module, name))
    for _ in range(2):
        frames = frames_of(lambda: f(value), kind)
        assert not ours(frames)
        assert text in (frames[-1].line or "") and frames[-1].end_colno
        assert frames[-1].filename == module.__file__


@pytest.fixture
def unfiltered() -> Iterator[None]:
    ag.debugging.disable_traceback_filtering()
    assert not ag.debugging.is_traceback_filtering_enabled()
    yield
    ag.debugging.enable_traceback_filtering()


def test_all_frames_on_request(module: ModuleType, unfiltered: None) -> None:
    assert ours(frames_of(lambda: ag.convert(module.in_a_loop)(5), ValueError))
    frames = frames_of(lambda: ag.function(module.index_in_a_loop)(np.ones(2)), IndexError)
    assert ours(frames) and frames[-1].filename == module.__file__


def test_environment_variable(tmp_path: Path) -> None:
    path = write(tmp_path, """
        import autograph as ag
        print(ag.debugging.is_traceback_filtering_enabled())
        """)
    for value, printed in (("0", "False"), ("1", "True")):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True,
                              check=True, env={"PYTHONPATH": str(Path.cwd()),
                                               "AUTOGRAPH_TRACEBACK_FILTERING": value})
        assert done.stdout.strip() == printed


@pytest.mark.parametrize("entry", [ag.convert, ag.to_code, ag.to_graph, ag.function],
                         ids=["convert", "to_code", "to_graph", "function"])
def test_refusals_are_raised_where_the_user_called(entry: Callable[..., object]) -> None:
    scope: dict[str, object] = {}
    exec("def f(x):\n    return x\n", scope)
    with pytest.raises(ag.ConversionError) as caught:
        entry(scope["f"])
    assert not ours(traceback.extract_tb(caught.value.__traceback__))


def test_deep_recursion_keeps_its_frames(module: ModuleType) -> None:
    def down(n):
        if n == 0:
            raise LookupError
        return down(n - 1)
    with pytest.raises(LookupError) as caught:
        ag.convert(down)(50)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert sum(f.line == "return down(n - 1)" for f in frames) == 50
