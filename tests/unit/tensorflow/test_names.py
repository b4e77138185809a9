"""The names of `tf.autograph` and `tf.function` that a program brings along, and what they do."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from autograph.syntax import verbosity
from autograph.syntax.errors import UnsupportedSyntaxError
from autograph.tensorflow.experimental import Feature
from tests.support.program_files import program, write

NAMES = {
    "tf.function": ag.function,
    "tf.autograph.to_graph": ag.to_graph,
    "tf.autograph.to_code": ag.to_code,
    "tf.autograph.trace": ag.trace,
    "tf.autograph.set_verbosity": ag.set_verbosity,
    "tf.autograph.experimental.do_not_convert": ag.do_not_convert,
    "tf.autograph.experimental.set_loop_options": ag.set_loop_options,
    "tf.autograph.experimental.Feature": ag.Feature,
    "tf.__internal__.autograph.control_status_ctx": ag.control_status_ctx,
    "tf.config.run_functions_eagerly": ag.run_functions_eagerly,
    "tf.config.functions_run_eagerly": ag.functions_run_eagerly,
    "tf.executing_eagerly": ag.executing_eagerly,
    "tf.inside_function": ag.inside_function,
    "tf.init_scope": ag.init_scope,
    "tf.debugging.disable_traceback_filtering": ag.debugging.disable_traceback_filtering,
    "tf.debugging.enable_traceback_filtering": ag.debugging.enable_traceback_filtering,
    "tf.debugging.is_traceback_filtering_enabled": ag.debugging.is_traceback_filtering_enabled,
    "tf.cond": ag.cond, "tf.while_loop": ag.while_loop, "tf.case": ag.case,
    "tf.switch_case": ag.switch_case, "tf.map_fn": ag.map_fn, "tf.foldl": ag.foldl,
    "tf.foldr": ag.foldr, "tf.scan": ag.scan, "tf.vectorized_map": ag.vectorized_map,
    "tf.print": ag.print, "tf.Variable": ag.Variable, "tf.TensorSpec": ag.TensorSpec,
    "tf.TensorArray": ag.TensorArray, "tf.Module": ag.Module, "tf.py_function": ag.py_function,
    "tf.numpy_function": ag.numpy_function,
}
ELSEWHERE = {"tf.__internal__.autograph.": "ag.", "tf.config.": "ag.config."}


@pytest.mark.parametrize("name", NAMES)
def test_same_name_with_ag_for_tf(name: str) -> None:
    for theirs, here in ELSEWHERE.items():
        name = name.replace(theirs, here) if name.startswith(theirs) else name
    for path in {name, name.replace("tf.autograph.", "tf.")}:
        value: object = ag
        for part in path.split(".")[1:]:
            value = getattr(value, part)
        known = NAMES.get(name) or next(v for v in NAMES.values() if v is value)
        assert value is known and callable(value)


FEATURES = ("ALL", "AUTO_CONTROL_DEPS", "ASSERT_STATEMENTS", "BUILTIN_FUNCTIONS",
            "EQUALITY_OPERATORS", "LISTS", "NAME_SCOPES")


def test_features() -> None:
    assert [f.name for f in Feature.all()] == list(FEATURES) == [f.value for f in Feature]
    assert Feature.LISTS not in Feature.all_but(Feature.LISTS)
    assert len(Feature.all_but([Feature.LISTS, Feature.ALL])) == 5


def sign(x):
    return 1 if x > 0 else -1


@pytest.mark.parametrize("features", [None, Feature.ALL, Feature.all(), [Feature.LISTS]])
def test_features_need_not_be_asked_for(features: object) -> None:
    assert ag.to_graph(sign, experimental_optional_features=features)(3) == 1
    assert ag.to_code(sign, True, features) == ag.to_code(sign)
    with pytest.warns(DeprecationWarning):
        f = ag.function(sign, experimental_autograph_options=features)
    assert f(np.int64(-3)) == -1


@pytest.mark.parametrize("wrong", ["LISTS", 3, [Feature.ALL, "x"]])
def test_what_is_no_feature(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"ag\.Feature"):
        ag.to_graph(sign, experimental_optional_features=wrong)


def test_to_graph_leaves_callees_alone_on_request() -> None:
    def f(x):
        return sign(x) and x
    assert "convert" in ag.to_code(f) and "convert" not in ag.to_code(f, recursive=False)
    assert ag.to_graph(f, recursive=False)(2) == 2
    assert ag.convert(recursive=False)(f)(2) == 2


def test_ways_to_write_do_not_convert() -> None:
    @ag.experimental.do_not_convert()
    def first():
        return ag.control_status_ctx().status

    @ag.do_not_convert
    def second():
        return ag.control_status_ctx().status

    def third():
        return ag.control_status_ctx().status
    found = ag.convert(lambda: (first(), second(), ag.do_not_convert(third)()))()
    assert found == (ag.Status.DISABLED,) * 3
    assert ag.convert(lambda: ag.control_status_ctx().status)() is ag.Status.ENABLED
    assert ag.control_status_ctx().status is ag.Status.DISABLED


# -- loop options ----------------------------------------------------------------------------------

def doubled(n, x):
    for _ in range(n):
        ag.set_loop_options(shape_invariants=[(x, None)], parallel_iterations=1, swap_memory=True)
        x = 2 * x
    return x


def unrolled(x):
    for _ in range(20):
        ag.set_loop_options(unroll=True)
        x = x * 2
    return x


def rolled(x):
    for _ in range(3):
        ag.autograph.experimental.set_loop_options(unroll=False)
        x = x * 2
    return x


def limited(n, x):
    while x < n:
        ag.set_loop_options(maximum_iterations=4)
        x = x * 2
    for i in range(10):
        ag.set_loop_options(maximum_iterations=n // 100)
        x = x + i
    return x


def test_options_without_anything_to_do_leave_no_trace() -> None:
    text = ag.to_code(doubled)
    assert "options" not in text and "swap" not in text
    assert doubled(3, 1) == ag.convert(doubled)(3, 1) == ag.function(doubled)(3, np.int64(1)) == 8


@pytest.mark.parametrize(("f", "loops"), [(unrolled, 0), (rolled, 1)])
def test_unroll(f: object, loops: int) -> None:
    graph = ag.function(f)
    value = np.float64(1.5)
    assert graph(value) == f(value)  # type: ignore[operator]
    names = [e.op.name for e in graph.get_concrete_function(value).graph.equations]
    assert sum(name in ("for", "while") for name in names) == loops


def test_unroll_that_cannot_be_kept() -> None:
    @ag.function
    def f(x):
        table = [1.0, 2.0, 3.0]
        for i in range(3):
            ag.set_loop_options(unroll=False)
            x = x * np.float64(i).__array__() + table[i]
        return x
    with pytest.raises(TypeError):
        f(np.float64(1))


def test_maximum_iterations() -> None:
    expected = 16 + 0 + 1 + 2
    assert ag.convert(limited)(300, 1) == expected
    assert ag.function(limited)(300, np.int64(1)) == expected
    assert ag.function(limited)(np.int64(300), np.int64(1)) == expected


@pytest.mark.parametrize("source", [
    "def f(x):\n    ag.set_loop_options(unroll=True)\n    while x: x -= 1\n",
    "def f(x):\n    while x:\n        x -= 1\n        ag.set_loop_options(unroll=True)\n",
    "def f(x):\n    while x:\n        ag.set_loop_options(**x)\n        x -= 1\n",
    "def f(x):\n    while x:\n        y = ag.set_loop_options()\n        x -= 1\n",
])
def test_options_elsewhere_are_refused(tmp_path: Path, source: str) -> None:
    module = program(tmp_path, "import autograph as ag\n" + source)
    with pytest.raises(UnsupportedSyntaxError, match="first statement of a loop") as caught:
        ag.convert(module.f)
    assert "^" in str(caught.value) and caught.value.hint


# -- logging ---------------------------------------------------------------------------------------

@pytest.fixture
def quiet() -> Iterator[None]:
    yield
    ag.set_verbosity(0)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels(level: int, quiet: None, tmp_path: Path, caplog: pytest.LogCaptureFixture,
                capsys: pytest.CaptureFixture[str]) -> None:
    module = program(tmp_path, """
        async def steps():
            return 1
        def f(x):
            if x > 0:
                return abs(x)
            return steps().close() or 1
        """)
    ag.set_verbosity(level, alsologtostdout=level == 2)
    with caplog.at_level(logging.INFO, logger="autograph"):
        assert ag.convert(module.f)(0) == 1
    text = caplog.text
    assert (f"converted f, {module.__file__}:3" in text) is (level >= 1)
    assert ("left as it is: steps: " in text) is (level >= 1)
    assert ("ag.cond(x > 0" in text) is (level >= 2)
    assert ("after the pass jumps" in text) is (level >= 3)
    assert ("ag.cond(x > 0" in capsys.readouterr().out) is (level == 2)
    assert verbosity.is_logged(level) and not verbosity.is_logged(level + 1)


def test_a_handler_may_run_converted_code(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the handler converts is not logged in its turn, without end."""
    told: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            module = program(tmp_path, "def told(x): return x or 'nothing'")
            told.append(ag.convert(module.told)(record.getMessage()))

    handler = Handler()
    verbosity.logger().addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG, logger="autograph"):
            assert ag.convert(program(tmp_path, "def f(x): return not x").f)(0) is True
    finally:
        verbosity.logger().removeHandler(handler)
    assert len(told) == 1 and told[0].startswith("converted f")


def test_environment_variable(tmp_path: Path) -> None:
    path = write(tmp_path, """
        import autograph as ag
        @ag.function
        def f(x):
            ag.trace("tracing", type(x).__name__)
            return x
        f(1), f(1)
        """)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(Path.cwd()), "AUTOGRAPH_VERBOSITY": "1"})
    assert done.stdout.splitlines() == ["tracing int"]
    assert f"autograph: converted f, {path}:2" in done.stderr
