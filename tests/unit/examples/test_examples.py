"""The examples run, and each decorated function agrees with the plain one it was made from."""

import importlib.util
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from tests.house.checkout import ROOT
from tests.support.outcome import run

FILES = sorted((ROOT / "examples").glob("*.py"))
RNG = np.random.default_rng(5)
SYMMETRIC = np.log([[0.7, 0.3], [0.3, 0.7]])

LABELS = np.eye(10)[RNG.integers(0, 10, 4)]
NETWORK = [RNG.random((6, 5)), RNG.random(5), RNG.random((5, 10)), RNG.random(10)]
FIELD = [RNG.normal(size=(2, 3)), RNG.normal(size=3), RNG.normal(size=(3, 2))]
SCENES = RNG.random((3, 2, 6))
WEIGHTS = {"slope": np.array([0.5, -0.2]), "offset": np.float64(0.1)}

# Two calls each: the second has other values and, where it can, the same signature.
CALLS = [
    ("collatz", "collatz", [(np.int64(27),), (np.int64(97),)]),
    ("newton", "newton", [(np.array([1.0, 0, -2]), np.float64(1)),
                          (np.array([1.0, 0, 1]), np.float64(0))]),
    ("rk45", "integrate", [(np.array([2.0, 0.0]), np.float64(2.0), np.float64(1e-4)),
                           (np.array([1.0, 1.0]), np.float64(1.0), np.float64(1e-6))]),
    ("life", "life", [((RNG.random((6, 6)) < 0.3).astype(np.int32), np.int64(9)),
                      (np.zeros((6, 6), np.int32), np.int64(9))]),
    ("mandelbrot", "mandelbrot", [(np.array([[0j, 1 + 1j], [-1j, 2j]]), 20),
                                  (np.array([[3 + 0j, 1 + 1j], [2j, 2j]]), 20)]),
    ("kmeans", "kmeans", [(RNG.random((9, 2)), RNG.random((3, 2))),
                          (RNG.random((9, 2)), RNG.random((3, 2)) + 9)]),
    ("viterbi", "viterbi", [(SYMMETRIC[0], SYMMETRIC, SYMMETRIC, np.array([0, 1, 1, 0])),
                            (SYMMETRIC[1], SYMMETRIC, SYMMETRIC, np.array([1, 1, 1, 0]))]),
    ("sorting", "insertion_sort", [(RNG.integers(0, 9, 8),), (RNG.integers(0, 9, 8),)]),
    ("sorting", "binary_search", [(np.arange(9) * 3, np.int64(12)), (np.arange(9), np.int64(70))]),
    ("power", "power_as_graph", [(np.array(np.eye(10) * 2, np.int32), 7),
                                 (np.array(np.eye(10) * 3, np.int32), np.int64(5))]),
    ("conditional", "conditional_function", [(np.array([1, 2]),), (np.array([-1, 0]),)]),
    ("signature", "specific_function", [(np.ones(2, np.float32),), (np.ones(5, np.float32),)]),
    ("logistic", "fit", [(WEIGHTS, RNG.normal(size=(8, 2)), np.arange(8) % 2.0, 0.5, 0.2),
                         (WEIGHTS, RNG.normal(size=(8, 2)), np.arange(8) % 2.0, 0.5, 0.2)]),
    ("digits", "step", [(NETWORK, NETWORK, RNG.random((4, 6)), LABELS),
                        (NETWORK, NETWORK, RNG.random((4, 6)), LABELS)]),
    ("neural_ode", "step", [
        (FIELD, [(x, x * x) for x in FIELD], RNG.normal(size=(4, 2)), np.float64(3.0)),
        (FIELD, [(x, x * x) for x in FIELD], RNG.normal(size=(4, 2)), np.float64(9.0))]),
    ("lbfgs", "minimise", [(np.array([-1.2, 1.0]),), (np.array([0.5, -0.5]),)]),
    ("kalman", "fit", [(np.zeros(2), RNG.normal(size=12), 0.5, 3),
                       (np.ones(2), RNG.normal(size=12), 0.5, 3)]),
    ("rendering", "fit", [(SCENES[0], RNG.random((48, 48, 3)), 2),
                          (SCENES[1], RNG.random((48, 48, 3)), 2)]),
    ("tracing", "optimized_computation", [(np.array(1), np.array(2)), (np.array(3), np.array(4))]),
]


def load(name: str) -> ModuleType:
    """Import an example from its file."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / f"examples/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("example", "name", "calls"), CALLS, ids=[call[1] for call in CALLS])
def test_decorated_agrees_with_plain(example: str, name: str, calls: list) -> None:
    function = getattr(load(example), name)
    for arguments in calls * 2:
        plain = run(function.python_function, arguments)
        assert run(function, arguments).describe() == plain.describe()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_script_runs(file) -> None:
    if file.stem == "digits":
        pytest.importorskip("sklearn", reason="the digits come with scikit-learn")
    result = subprocess.run([sys.executable, "-W", "error", str(file)], cwd=ROOT, text=True,
                            capture_output=True, env={"PYTHONPATH": str(ROOT)})
    assert result.returncode == 0 and result.stdout and not result.stderr, result.stderr


def test_every_example_is_compared() -> None:
    assert {file.stem for file in FILES} == {example for example, _, _ in CALLS}


def test_tracing_prints_only_while_it_traces() -> None:
    out = subprocess.run([sys.executable, str(ROOT / "examples/tracing.py")], text=True,
                         capture_output=True, env={"PYTHONPATH": str(ROOT)}).stdout
    assert out.count("Tracing with inputs") == 2
    assert out.count("Tracing optimized function") == 2
