"""An error of a public function shows the user's frames, and none of autograph's."""

from __future__ import annotations

import enum
import inspect
import traceback
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

SETTINGS = {"convert_imports", "functions_run_eagerly", "register_replacement",
            "run_functions_eagerly", "set_verbosity", "trace_into"}
"""Functions that set something for the whole program: here they are given no arguments."""
NOT_MADE_BY_USERS = {"ConcreteFunction", "Tensor"}
WRONG = (object(), None, -1, "nothing")


def callables() -> list[str]:
    """The public functions and classes, without errors and enumerations."""
    return [f"{prefix}{name}" for prefix, module in (("", ag), ("debugging.", ag.debugging))
            for name in dir(module) if callable(x := getattr(module, name))
            and name not in NOT_MADE_BY_USERS
            and not isinstance(x, ModuleType | enum.EnumMeta)
            and not (isinstance(x, type) and issubclass(x, BaseException))
            and x.__module__.startswith("autograph.")]


def frames_of_ours(error: BaseException) -> list[str]:
    """The names of our functions in the traceback of an error."""
    return [frame.f_code.co_qualname for frame, _ in traceback.walk_tb(error.__traceback__)
            if is_ours(frame)]


def errors(name: str) -> list[Exception]:
    """What wrong arguments raise: an unknown one, and required ones of every wrong kind."""
    f: Any = attrgetter(name)(ag)
    required = [p for p in inspect.signature(f).parameters.values()
                if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    calls: list[tuple[list[Any], dict[str, Any]]] = [([], {"no_such_argument": 1})]
    if name not in SETTINGS and required:
        calls += [([wrong] * len(required), {}) for wrong in WRONG]
    found = []
    for args, kwargs in calls:
        try:
            f(*args, **kwargs)
        except Exception as error:
            found.append(error)
    return found


@pytest.mark.parametrize("name", callables())
def test_errors_of_public_functions_have_no_frames_of_ours(
        name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [(repr(e), ours) for e in errors(name) if (ours := frames_of_ours(e))] == []


def method_errors(folder: Path) -> list[Callable[[], Any]]:
    """Calls of methods of public objects that raise."""
    v, four = ag.Variable(np.ones(3)), np.ones(4)
    f = ag.function(lambda x: x + 1)
    concrete, tape = f.get_concrete_function(np.ones(3)), ag.GradientTape()
    array = ag.TensorArray(np.float64, 3)
    failing = ag.function(lambda x: x.reshape(x.sum().astype(int) + 1)
                          ).get_concrete_function(np.ones(3))
    return [
        lambda: v @ four, lambda: four + v, lambda: v.__iadd__(four), lambda: v[9],
        lambda: v.__setitem__(9, 1), lambda: v.assign(four), lambda: v.assign_add(four),
        lambda: v.nothing, lambda: bool(v), lambda: float(v), lambda: np.add(v, four),
        lambda: np.concatenate([v, np.ones((2, 2))]), lambda: v.scatter_add(3),
        lambda: ag.Variable(np.ones(3), shape=(4,)), lambda: len(ag.Variable(1.0)),
        lambda: ag.nothing, lambda: ag._nothing, lambda: ag.debugging.assert_equal(1, 2),
        lambda: ag.debugging.assert_positive(-1), lambda: ag.debugging.assert_rank(four, 2),
        lambda: ag.debugging.assert_shape(four, (3,)), lambda: ag.debugging.assert_type(four, int),
        lambda: ag.debugging.assert_near(1.0, 2.0), lambda: ag.debugging.check_numerics(np.nan),
        lambda: concrete(four), lambda: concrete(), lambda: f.to_jax(four),
        lambda: failing(np.ones(3)), lambda: failing(np.ones(3)), lambda: failing(np.ones(3)),
        lambda: ag.convert(np.add)(four),
        lambda: tape.watch("x"), lambda: tape.jacobian(1, 2),
        lambda: array.read(9), lambda: array.write(9, 1.0),
        lambda: ag.Checkpoint(v, folder), lambda: f.to_python(four).save(folder / "no" / "f.py"),
        lambda: f.explain(four).save(folder / "no" / "f.html"),
        lambda: ag.vmap(lambda x: x.nothing)(four),
        lambda: ag.vjp(lambda x: x * 2, four)[1](np.ones(3)),
    ]


def test_errors_of_methods_have_no_frames_of_ours(tmp_path: Path) -> None:
    found = []
    for number, call in enumerate(method_errors(tmp_path)):
        with pytest.raises(Exception) as raised:
            call()
        found += [(number, repr(raised.value), o) for o in frames_of_ours(raised.value)]
    assert found == []


def test_a_file_that_is_none_is_named_in_one_frame(tmp_path: Path) -> None:
    (tmp_path / "f.agz").write_text("nothing")
    with pytest.raises(ag.errors.LoadError, match=r"f\.agz: this is no file") as raised:
        ag.load(tmp_path / "f.agz")
    assert [frame.f_code.co_name for frame, _ in traceback.walk_tb(raised.tb)] == [
        "test_a_file_that_is_none_is_named_in_one_frame"]


def test_most_public_functions_refuse_wrong_arguments(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would say nothing of functions that take anything."""
    monkeypatch.chdir(tmp_path)
    assert sum(bool(errors(name)) for name in callables()) > 50


def test_the_frames_are_there_when_they_are_asked_for() -> None:
    ag.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(ag.errors.SaveError) as refused:
            ag.save("nowhere.agz", object())
    finally:
        ag.debugging.enable_traceback_filtering()
    assert "save" in frames_of_ours(refused.value)


def test_a_loaded_function_names_itself_and_its_signature(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        return x + 1

    ag.save(tmp_path / "f.agz", ag.function(f), (np.ones(3),))
    loaded = ag.load(tmp_path / "f.agz")
    with pytest.raises(ag.SignatureError, match=r"f\(\): too many positional .* \(x: Tensor") as e:
        loaded(object(), 2)
    assert frames_of_ours(e.value) == []
