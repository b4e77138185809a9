"""Tables outside a function that no run writes are constants of what leaves the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.constant_state import with_constant_state
from autograph.runtime.serialize.save import dumps, loads

TABLE = np.arange(200.0).reshape(20, 10)
COUNTS = np.zeros((3, 2))


@ag.function
def looked_up(k):
    return TABLE[k, :].sum() + TABLE[k, ::4]


@ag.function
def counted(k):
    COUNTS[k, :] += 1
    return COUNTS[k, 0]


def test_a_table_is_an_input_in_this_process_and_a_constant_elsewhere() -> None:
    concrete = looked_up.get_concrete_function(np.int64(3))
    assert len(concrete.program.graph.inputs) == 2
    program, bound = with_constant_state(concrete)
    assert len(program.graph.inputs) == len(bound.leaves) == 1
    loaded = loads(dumps(looked_up))
    for k in (np.int64(0), np.int64(7), np.int64(-1)):
        assert np.array_equal(loaded(k), looked_up.python_function(k))
    with pytest.raises(IndexError):
        loaded(np.int64(20))


def test_what_a_run_writes_stays_outside() -> None:
    counted(np.int64(1))
    with pytest.raises(ag.errors.SaveError, match="outside"):
        dumps(counted)


def test_a_table_that_is_an_argument_too_stays_an_input() -> None:
    @ag.function
    def both(x, k):
        return x[k, :] + TABLE[k, :]

    both(TABLE, np.int64(2))
    with pytest.raises(ag.errors.SaveError, match="outside"):
        dumps(both)


def test_a_stand_alone_file_has_the_table(tmp_path: Path) -> None:
    made: Any = looked_up.get_concrete_function(np.int64(3)).to_python()
    made.save(tmp_path / "looked_up.py")
    code = "import numpy as np; from looked_up import looked_up; print(looked_up(np.int64(2))[0])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True,
                          text=True, check=True)
    assert float(done.stdout) == looked_up(np.int64(2))[0]


def test_a_model_has_no_input_for_the_table() -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    from autograph.runtime.export.onnx.export import model_of
    from tests.unit.export.onnx_runs import run_onnx

    model = model_of(looked_up.get_concrete_function(np.int64(3)), "drop")
    assert [x.name for x in model.graph.input] == ["k"]
    assert np.allclose(run_onnx(model, [np.int64(5)]), looked_up(np.int64(5)))
