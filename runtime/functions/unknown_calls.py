"""Programs that call what only the run finds in the arguments: a check before each run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from autograph.runtime.heap.kept_functions import refuse_shared_changes
from autograph.runtime.ir.graph import Equation, Value, equations_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops import OPS

CALL = OPS["call_object"]


def checking(run: Callable[..., Any], program: Program, function: Any) -> Callable[..., Any]:
    """Returns `run`, which first refuses arguments with functions that change what the traced
    function uses, too. Those of the call that was traced have been looked at."""
    inputs = [i for i, v in enumerate(program.graph.inputs) if not isinstance(v.type, ArrayType)]
    if not inputs or not any(map(_calls_unknown, equations_in(program.graph))):
        return run
    passed: dict[int, Any] = {}

    @wraps(run)
    def checking_run(*leaves: Any) -> Any:
        refuse_shared_changes(function, [leaves[i] for i in inputs], passed)
        return run(*leaves)

    return checking_run


def _calls_unknown(e: Equation) -> bool:
    return e.op is CALL and isinstance(e.args[0], Value)
