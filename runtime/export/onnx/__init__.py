"""`ag.export_onnx`: a graph as an ONNX model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from autograph.traceback_filter import hiding_frames


@hiding_frames
def export_onnx(path: str | os.PathLike[str] | None, function: Any, *args: Any,
                checks: str = "refuse", **kwargs: Any) -> Any:
    """Writes a traced function as an ONNX model (opset 21), for onnxruntime and its kin.

    Branches become `If`, loops `Loop`, NumPy's promotions casts, in-place changes new values. An
    op or dtype that ONNX or onnxruntime's kernels for CPUs cannot compute is written as a formula
    over others, or refused: a model that is written loads. Needs the extra `onnx`.

    Args:
      path: the file to write; None to only return the model.
      function: a decorated function, or a `ConcreteFunction`.
      args, kwargs: the arguments whose signature is exported, or `TensorSpec`s in place of
        arrays; none for a `ConcreteFunction`. A dimension of None is open in the model.
      checks: "refuse" an error that the function may raise, or "drop" it: the model's results are
        then not defined where the function raises.

    Returns:
      The `onnx.ModelProto`. Inputs have the names of the arguments; outputs are `result_0`,
      `result_1` … in the order of the result's leaves, then `x_after` for each written argument. A
      list whose length only the run knows is an array, with a row for each item.

    Raises:
      ImportError: the package onnx is not installed.
      ExportError: the graph has no form in ONNX; the message names the op and your line.
      OSError: the file cannot be written.

    >>> import autograph as ag, numpy as np
    >>> @ag.function
    ... def doubled(x):
    ...     return x * 2
    >>> try:
    ...     model = export_onnx(None, doubled, np.ones(3))
    ... except ImportError:
    ...     pass
    """
    from autograph.runtime.export.exported import concrete_of, in_full_if_needed
    from autograph.runtime.export.onnx.export import model_of  # the rules are wanted here alone
    from autograph.runtime.serialize.archive import write_atomically

    concrete = concrete_of(function, "ag.export_onnx(path, f, x)", *args, **kwargs)
    model = in_full_if_needed(lambda c: model_of(c, checks), concrete)
    if path is not None:
        write_atomically(Path(path), lambda file: file.write(model.SerializeToString()))
    return model
