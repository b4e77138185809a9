"""The façade: what `dir(ag)` lists, and what names and options that there are not answer."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
import re
import subprocess
import sys
import traceback
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.options import Options
from autograph.operators import OPERATORS
from autograph.other_libraries import INSTEAD


def test_dir_lists_what_users_call() -> None:
    listed = dir(ag)
    assert {"function", "check", "print", "config", "grad", "__version__"} <= {*listed}
    modules = {name for name in listed if isinstance(getattr(ag, name), types.ModuleType)}
    assert modules == {"config", "debugging", "errors", "experimental"} & {*listed} | (
        modules & {"gradients"})
    assert len(listed) < 100
    assert not {"and_", "len", "new_list", "assembly", "OPERATORS"} & {*listed}


@pytest.mark.parametrize("name", ["config", "debugging", "errors", "experimental"])
def test_dir_of_a_part_lists_what_users_call(name: str) -> None:
    part = getattr(ag, name)
    listed = [x for x in dir(part) if not x.startswith("__")]
    assert listed and all(hasattr(part, x) for x in listed)
    assert not [x for x in listed if getattr(getattr(part, x), "__module__", "autograph").partition(
        ".")[0] != "autograph" or isinstance(getattr(part, x), types.ModuleType)]
    assert name != "config" or {"debug", "strict", "cache_dir"} <= {*listed}


def test_operators_are_there_without_being_listed() -> None:
    assert all(hasattr(ag, name) for name in OPERATORS)


def test_star_import_leaves_builtins_alone() -> None:
    scope: dict[str, Any] = {}
    exec("from autograph import *", scope)
    assert not {*ag.__all__} & {*dir(builtins)}
    assert scope["function"] is ag.function and "print" not in scope


def test_documented_groups_name_what_there_is() -> None:
    text = (ag.__doc__ or "").partition("\n\n")[2]
    named = re.findall(r"[\w.]+(?=,|$)", text, re.MULTILINE)
    assert len(named) > 30 and all(hasattr(ag, name) for name in named)


@pytest.mark.parametrize("name", sorted(INSTEAD.keys()))
def test_names_of_others_answer_with_what_to_use(name: str) -> None:
    if hasattr(ag, name):
        pytest.skip("there is such a name by now")
    with pytest.raises(AttributeError, match="hint: use"):
        getattr(ag, name)
    for used in re.findall(r"\bag\.[\w.]+", INSTEAD[name]):
        assert eval(used, {"ag": ag}) is not None
    for used in re.findall(r"\bnp\.[\w.]+", INSTEAD[name]):
        assert eval(used, {"np": np})


def test_help_lists_the_options_with_their_defaults() -> None:
    shown = dict(inspect.signature(ag.function).parameters)
    assert shown.pop("func").default is None
    known = {field.name: field.default for field in dataclasses.fields(Options)}
    assert {name: p.default for name, p in shown.items()} == {
        **known, "attributes": None, "jit_compile": None}
    told = set(re.findall(r"^\s+(\w+): ", str(ag.function.__doc__), re.MULTILINE))
    assert shown.keys() <= told


@pytest.mark.parametrize(("name", "hint"), [
    ("functoin", "did you mean ag.function?"), ("float32", "np.float32"),
    ("no_grad", "ag.stop_gradient"), ("Dataset", "a for loop over their batches"),
    ("Grad", "did you mean ag.grad?"), ("tensor", "np.array"), ("jit_", "ag.function"),
    ("checkpoint_", "did you mean ag.checkpoint?"), ("Adam", "v.assign_sub"),
    ("raw_ops", "NumPy's functions"), ("zeros_", "np.zeros"), ("sqrt", "np.sqrt"),
    ("Tenser", "did you mean ag.Tensor?"), ("zzzz", "dir(ag) lists"), ("_private", "")])
def test_unknown_names_say_what_was_meant(name: str, hint: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ag, name)
    assert hint in str(caught.value) and name in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert shown.lower().count("did you mean") == hint.count("did you mean")


@pytest.mark.parametrize(("option", "hint"), [
    ("jit", "did you mean jit_compile?"), ("strickt", "did you mean strict?"),
    ("input_signatures", "did you mean input_signature?"), ("qqq", "there are atomic,")])
def test_unknown_options_say_what_was_meant(option: str, hint: str) -> None:
    with pytest.raises(TypeError) as caught:
        ag.function(**{option: True})  # type: ignore[call-overload]
    assert f"no option {option!r}" in str(caught.value) and hint in str(caught.value)


def test_what_a_first_call_does_not_need_is_not_loaded(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import sys
import numpy as np
import autograph as ag
made = ag.function(lambda x: np.maximum(x * 2.0, 1.0).sum())(np.ones(3))
native = [m for m in sys.modules if m.startswith("autograph.runtime.native.")]
print(made, len(native), "llvmlite" in sys.modules, "logging" in sys.modules)
""", "utf-8")
    found = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["6.0", "2", "False", "False"]
