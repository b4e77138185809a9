"""Each program is saved, loaded and saved again, and lowered to ONNX and JAX."""

import copy
import types
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from tests.corpus.export import solvers, values
from tests.corpus.export.arguments import PROGRAMS
from tests.corpus.state.picture import Picture
from tests.unit.export.comparing import difference, rounded

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

REFUSALS = (ag.errors.ExportError, ag.errors.TracingError)

SAVED_NEVER = {"given_rng": "an object of class 'Generator' cannot be saved"}
"""Programs that have no file, each with a part of the reason."""


def cases() -> Iterator[Any]:
    """Yields each program, and the argument sets of its calls."""
    for f, arguments in PROGRAMS.items():
        yield pytest.param(f, [arguments], id=f.__name__)
    for name, f in vars(values).items():
        if isinstance(f, types.FunctionType) and f.__module__ == values.__name__:
            yield pytest.param(f, values.SETS.get(name, values.XS), id=name)


def told(f: Any, arguments: tuple[Any, ...]) -> str:
    """Returns what a call gives or raises, and leaves in its arguments."""
    arguments = copy.deepcopy(arguments)
    try:
        result = f(*arguments)
    except ValueError as error:
        return f"raises {error}".split("\n")[0]
    picture = Picture()
    return f"leaves {picture.of(arguments)}, gives {picture.of(result)}"


@pytest.mark.parametrize(("f", "sets"), tuple(cases()))
def test_saved_program_agrees(f: Any, sets: list[tuple[Any, ...]], tmp_path: Path) -> None:
    traced: Any = ag.function(f)
    for arguments in sets:
        traced.get_concrete_function(*copy.deepcopy(arguments))
    files = tmp_path / "first.agz", tmp_path / "again.agz"
    if f.__name__ in SAVED_NEVER:
        with pytest.raises(ag.errors.SaveError, match=SAVED_NEVER[f.__name__]):
            ag.save(files[0], traced)
        return
    classes = [solvers.P]
    ag.save(files[0], traced, samples=[copy.deepcopy(sets[0])], classes=classes)
    loaded = ag.load(files[0], verify=True, classes=classes)
    ag.save(files[1], loaded, classes=classes)
    assert files[0].read_bytes() == files[1].read_bytes()
    found: list[list[str]] = []
    for function in (f, loaded):
        values.STATE.assign(np.zeros(3))
        found.append([told(function, arguments) for arguments in sets])
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize(("f", "sets"), tuple(cases()))
def test_onnx_agrees_or_is_refused(f: Any, sets: list[tuple[Any, ...]]) -> None:
    pytest.importorskip("onnxruntime")
    from autograph.runtime.export.onnx.export import model_of
    from tests.unit.export.onnx_runs import run_onnx

    try:
        model = model_of(ag.function(f).get_concrete_function(*copy.deepcopy(sets[0])), "drop")
    except REFUSALS:
        return
    for arguments in sets:
        try:
            wanted = f(*copy.deepcopy(arguments))
        except ValueError:  # "drop" left out what raises
            continue
        given = [x for x in flatten([vars(x) if is_dataclass(x) else x for x in arguments])
                 if isinstance(x, (np.ndarray, np.generic))]
        for reference in (False, True):
            found = run_onnx(model, given, reference)
            assert not difference(rounded(wanted, arguments), rounded(found, arguments))


@pytest.mark.slow
@pytest.mark.parametrize(("f", "sets"), tuple(cases()))
def test_jax_agrees_or_is_refused(f: Any, sets: list[tuple[Any, ...]]) -> None:
    pytest.importorskip("jax")
    from tests.unit.export.test_jax import as_jax

    arguments = sets[0]
    try:
        found, _ = ag.function(f).to_jax(checks="drop", written_arguments=True)(
            *as_jax(copy.deepcopy(arguments)))
    except REFUSALS:
        return
    except TypeError as error:  # JAX has no array of text, dates or records
        assert "as a JAX value" in str(error)
        return
    wanted = f(*copy.deepcopy(arguments))
    assert not difference(rounded(wanted, arguments), rounded(found, arguments))
