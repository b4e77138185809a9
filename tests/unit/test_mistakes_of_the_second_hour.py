"""More mistakes that users make, in calls of NumPy, gradients, files and commands."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.other_libraries import INSTEAD
from autograph.tools import running
from autograph.tools.targets import UsageError
from autograph.traceback_filter import is_ours

X = np.arange(3.0)


@ag.function
def a_letter_of_the_result_alone(a):
    return np.einsum("ij->ijl", a)


@ag.function
def asked_twice(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = (x * x).sum()
    a = tape.gradient(y, x)
    return a, tape.gradient(y, x)


class NoFunction:
    pass


@pytest.mark.parametrize(("call", "kind", "said"), [
    (lambda: a_letter_of_the_result_alone(np.ones((2, 2))), ValueError,
     ["einstein sum subscripts string included output subscript 'l'", "^^^^^^"]),
    (lambda: asked_twice(X), RuntimeError,
     ["hint: GradientTape(persistent=True)", "tape.gradient(y, x)\n"]),
    (lambda: ag.function(lambda x: x, executor=["native"]), ValueError,  # type: ignore[call-overload]
     ["executor must be one of python", "not ['native']"]),
    (lambda: ag.to_code(NoFunction()), ag.ConversionError,
     ["the NoFunction object cannot be converted"]),
    (lambda: ag.vjp(lambda x: x * 2, X)[1](np.ones(4)), ag.NotDifferentiable,
     ["a cotangent is an array of float64 of shape (4,), and the result an array of float64 of "
      "shape (3,)", "hint: a cotangent has the shape"]),
    (lambda: ag.vmap(np.add)(np.ones((3, 2)), np.ones((4, 2))), ValueError,
     ["not of 3 and 4 items", "hint: what all items share"]),
    (lambda: ag.jvp(lambda x: x * 2, (X,), (1,)), ag.NotDifferentiable,
     ["a tangent is a Python int, and its argument an array of float64", "hint: a tangent"]),
    (lambda: ag.trace_into(np), TypeError,  # type: ignore[arg-type]
     ["a package is given by its name, not as a module", "hint: write 'numpy'"]),
    (lambda: ag.convert_imports(np, "scipy"), TypeError,  # type: ignore[arg-type]
     ["hint: write 'numpy'"]),
    (lambda: ag.vjp(lambda x: x * 2)(X), TypeError,
     ["<lambda>(): missing a required argument: 'x'", "ag.vjp(f, x)"]),
    (lambda: ag.scan(lambda a, x: (a, x), X, initializer=0.0), ValueError,
     ["another structure", "hint: return as many values"]),
    (lambda: ag.switch_case(0.5, [lambda: 1, lambda: 2]), TypeError,
     ["branch_index is an integer, not a value of float64"]),
    (lambda: ag.function(lambda i: ag.switch_case(i, [lambda: 1, lambda: 2]))(np.float64(0.5)),
     TypeError, ["branch_index is an integer"]),
    (lambda: ag.while_loop(lambda i: i < 3, lambda i: (i + 1,), (0,), maximum_iterations="3"),
     TypeError, ["maximum_iterations is an integer, not '3'"]),
], ids=["einsum", "tape", "executor", "object", "cotangent", "vmap", "tangent", "trace_into",
        "convert_imports", "vjp", "scan", "branch_index", "symbolic_branch_index",
        "maximum_iterations"])
def test_the_cause_and_the_way_out_are_said(call: Callable[[], Any], kind: type[Exception],
                                            said: list[str]) -> None:
    with pytest.raises(kind) as caught:
        call()
    text = "".join(traceback.format_exception(caught.value))
    assert all(part in text for part in said), text
    assert "object at 0x" not in text
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert not any(map(is_ours, frames)), text


def test_a_seed_of_a_gradient_has_no_name_of_the_users() -> None:
    with pytest.raises(RuntimeError) as caught:
        asked_twice(X)
    assert " a: " not in caught.value.__notes__[0]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        ag.save(tmp_path, ag.function(lambda x: x), (X,))
    assert caught.value.filename == str(tmp_path)
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert [frame.f_code.co_filename for frame in frames] == [__file__]


@pytest.mark.parametrize("write", [np.save, np.savez, lambda path, x: path.write_text(str(x))],
                         ids=["npy", "npz", "text"])
def test_a_file_of_another_kind(write: Callable[[Path, Any], None], tmp_path: Path) -> None:
    path = tmp_path / "made.npz"
    write(path, X)
    with pytest.raises(ag.errors.LoadError, match=r"hint: ag\.load reads what"):
        ag.load(path if path.exists() else tmp_path / "made.npz.npy")


def test_one_colon_for_two() -> None:
    with pytest.raises(UsageError, match=r"say which function: prog\.py::f"):
        running.found("prog.py:f")


@pytest.mark.parametrize("name", [
    "stencil", "literal_unroll", "generated_jit", "linear_transpose", "nest", "set_default_dtype",
    "prng", "raw_ops", "image", "io", "devices", "control_dependencies", "named_scope",
    "ensure_compile_time_eval", "clear_caches", "autocast", "gdb", "disable_jit"])
def test_names_of_other_libraries_have_an_answer(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ag, name)
    assert INSTEAD[name] in str(caught.value)
