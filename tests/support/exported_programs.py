"""What becomes of the corpus and of the whole programs in ONNX and in JAX, by dtype.

    python -m tests.support.exported_programs onnx float32 [1 of so many] > fates.txt

runs each program with its arrays in a dtype (`given`: as they are), says how many give what NumPy
gives, and lists the others with their reasons. `reference`: onnxruntime agrees with NumPy, ONNX's
own evaluator does not. `unstable`: other numbers of the same form, and the plain function itself
gives others when its floats change in their last digit, so that the order of a sum decides.
`raises`: the plain function raises, and the export is refused, or raises when it is run; `SILENT`:
there the export gives a result. For JAX, which has no numbers beside arrays without dimensions,
such arrays are numbers.
"""

from __future__ import annotations

import copy
import inspect
import io
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.ir.graph import leaves
from tests.corpus.case import Case
from tests.corpus.cases import CASES, ROWS
from tests.support.alarm import Endless, alarm
from tests.support.whole_programs import PROGRAMS
from tests.unit.export.comparing import (
    OTHER_NUMBERS,
    difference,
    has_array,
    in_c_order,
    is_numeric,
    plain_result,
    rounded,
    typed_outputs,
    with_numbers,
)
from tests.unit.export.onnx_runs import run_onnx

REFUSALS = (ag.errors.ExportError, ag.errors.TracingError, ag.ConversionError)
PATIENCE = 30.0
"""Seconds of the processor's time for a call: some loops never end in single precision."""

Ran = Callable[[], Any]
"""Runs a program on an engine."""

Fate = tuple[str, str]
"""What became of a call, and why."""


def numeric_cases() -> list[Case]:
    """The programs whose arguments are numbers and arrays of numbers."""
    cases = [*(Case(f, arguments) for f, arguments in PROGRAMS), *CASES, *ROWS]
    return [c for c in cases if has_array(list(c.arguments[0]))
            and is_numeric(list(c.arguments[0]))]


def converted(x: Any, dtype: str) -> Any:
    """Arguments with their arrays and NumPy's numbers in a dtype."""
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fiu" and dtype != "given":
        whole = np.dtype(dtype).kind in "iu" and x.dtype.kind == "f"
        made = (np.round(x * 3) if whole else x).astype(dtype)
        return np.abs(made) if np.dtype(dtype).kind == "u" else made
    return type(x)(converted(v, dtype) for v in x) if type(x) in (list, tuple) else x


def on_onnx(case: Case, arguments: tuple[Any, ...], checks: str) -> tuple[Any, list[Ran]]:
    """A program as a function, and it on onnxruntime and on ONNX's reference."""
    from autograph.runtime.export.onnx.export import model_of

    function: Any = ag.function(case.function)
    bound = inspect.signature(case.function, follow_wrapped=False).bind(
        *in_c_order(copy.deepcopy(arguments)))
    bound.apply_defaults()
    concrete, call = function.__ag_dispatcher__.find(dict(bound.arguments))
    model = model_of(concrete, checks)
    given = [leaf.value for leaf in call.leaves][:len(model.graph.input)]
    return function, [lambda: run_onnx(model, given), lambda: run_onnx(model, given, True)]


def on_jax(case: Case, arguments: tuple[Any, ...], checks: str) -> tuple[Any, list[Ran]]:
    """A program as a function, and it on JAX."""
    import jax

    from tests.unit.export.test_jax import as_jax

    jax.config.update("jax_enable_x64", True)
    function: Any = ag.function(case.function)
    run = function.to_jax(checks=checks, written_arguments=True)
    return function, [lambda: run(*as_jax(copy.deepcopy(arguments)))[0]]


def told_of(function: Any, arguments: tuple[Any, ...], wanted: Any, ran: Ran) -> str:
    """What differs between what NumPy gives and what an engine does, or the engine's error."""
    try:
        found = ran()
    except REFUSALS:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    typed = typed_outputs(function)
    return difference(rounded(wanted, arguments), rounded(found, arguments), typed)


def fate(case: Case, arguments: tuple[Any, ...], target: Any) -> Fate:
    """Returns what becomes of a call."""
    if target is on_jax:
        arguments = with_numbers(arguments)
    try:
        wanted, _ = plain_result(case, arguments)
    except Exception as error:
        return without_result(case, arguments, target, repr(error))
    try:
        function, runs = target(case, arguments, "drop")
        for kind, ran in zip(("WRONG", "reference"), runs, strict=False):
            told = told_of(function, arguments, wanted, ran)
            if told:
                excused = told.startswith(OTHER_NUMBERS) and is_unstable(case, arguments, wanted)
                return "unstable" if excused else kind, told
    except REFUSALS as error:
        return "refused", str(error)
    return "agree", ""


def is_unstable(case: Case, arguments: tuple[Any, ...], wanted: Any) -> bool:
    """Returns True if the plain function gives other numbers for floats that differ in their last
    digit."""
    def nudged(x: Any, to: float) -> Any:
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f":
            found = np.where(np.isfinite(x), np.nextafter(x, x.dtype.type(to)), x)
            return found if isinstance(x, np.ndarray) else found[()]
        return type(x)(nudged(v, to) for v in x) if type(x) in (list, tuple) else x

    try:
        found = [plain_result(case, nudged(arguments, to))[0] for to in (-np.inf, np.inf)]
    except Exception:  # it raises for others
        return all(x.dtype.kind == "f" for x in leaves(arguments) if isinstance(x, np.ndarray))
    return any(difference(*(rounded(x, arguments) for x in (wanted, other))) for other in found)


def without_result(case: Case, arguments: tuple[Any, ...], target: Any, raised: str) -> Fate:
    """Returns what becomes of a call that raises, if exports may leave out no error."""
    try:
        _, runs = target(case, arguments, "refuse")
        return "SILENT", f"{raised}: {runs[0]()}"
    except Exception:
        return "raises", raised


def fates(target: Any, dtype: str, step: int) -> Iterator[tuple[str, str, str]]:
    """Yields the name of each program, and what becomes of each of its calls."""
    for case in numeric_cases()[::step]:
        for arguments in case.arguments[: 3 if dtype == "given" else 1]:
            if is_numeric(list(arguments)):
                kind, why = "endless", ""
                with redirect_stdout(io.StringIO()), suppress(Endless), alarm(
                        PATIENCE, of_processor=True):
                    kind, why = fate(case, converted(arguments, dtype), target)
                yield case.name, kind, why.split("\n")[0][:300]


def forget_compiled() -> None:
    """Lets JAX forget what it has compiled, which would take all memory in the end."""
    import jax

    jax.clear_caches()


def main(target: str, dtype: str = "given", step: str = "1") -> None:
    """Prints each call that did not give the same, and the number of calls of each fate."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    counts: Counter[str] = Counter()
    found = fates({"onnx": on_onnx, "jax": on_jax}[target], dtype, int(step))
    for number, (name, kind, why) in enumerate(found):
        counts[kind] += 1
        if target == "jax" and number % 100 == 0:
            forget_compiled()
        if kind not in ("agree", "raises"):
            print(f"{kind}: {name}: {why}", flush=True)
    print(target, dtype, dict(counts))


if __name__ == "__main__":
    main(*sys.argv[1:])
