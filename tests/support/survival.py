"""Programs of the corpus that are saved, and run in another process that cannot read their source.

    python -m tests.support.survival

saves all of them, runs them on their samples, and says how many survived and why others did not.
"""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import autograph as ag
from autograph.runtime.native.machine import missing
from autograph.runtime.serialize.save import dumps, loads
from tests.house.checkout import ROOT
from tests.support.outcome import run

SURVIVED, REFUSED, UNTRACED, UNREAD, WRONG = "survived", "refused", "untraced", "unread", "WRONG"
"""What becomes of a program. Refused: a file cannot hold it. Untraced: there is no trace to save,
or the file refuses a call, as no trace serves it. Unread: its arguments are objects of its own
module."""

WITHOUT_COMPILER = ("gast", "astunparse")


@dataclass(frozen=True)
class Fate:
    """What became of one program, and why."""

    name: str
    kind: str
    why: str = ""


@dataclass(frozen=True)
class Saved:
    """A program on its way to another process: its file, calls as a pickle, and their outcomes."""

    name: str
    file: bytes
    calls: bytes
    wanted: list[str]
    warnings: bool


def saved(case: Any, warnings: bool) -> Saved | Fate:
    """Traces a program for all its calls, and saves it."""
    function = ag.function(case.function)
    calls = [copy.deepcopy(arguments) for arguments in case.arguments]
    for arguments in calls:
        run(function, arguments)
    if not function.experimental_get_tracing_count():
        return Fate(case.name, UNTRACED, "no call makes a trace")
    try:
        data = dumps(function)
    except ag.errors.SaveError as error:
        return Fate(case.name, REFUSED, error.message.split("\n")[0])
    try:
        pickled = pickle.dumps(calls)
    except Exception as error:
        return Fate(case.name, UNREAD, f"{type(error).__name__}: {error}"[:100])
    wanted = [run(case.function, arguments).describe(warnings) for arguments in calls]
    return Saved(case.name, data, pickled, wanted, warnings)


def outcome(program: Saved) -> Fate:
    """Loads a program and compares what it does on each executor; runs in the other process."""
    try:
        calls = pickle.loads(program.calls)
    except ImportError as error:
        return Fate(program.name, UNREAD, str(error)[:100])
    try:
        again = dumps(loads(program.file))
    except ag.errors.LoadError as error:
        return Fate(program.name, WRONG, f"it was written and cannot be read: {error}")
    if again != program.file:
        return Fate(program.name, WRONG, "not the same when it is saved again")
    for executor in ("python", "interpreter", *(() if missing() else ("native",))):
        loaded = loads(program.file, executor=executor)
        if not loaded.explain() or not repr(loaded):
            return Fate(program.name, WRONG, "it does not explain itself")
        for arguments, wanted in zip(calls, program.wanted, strict=True):
            call = run(loaded, arguments)
            if call.describe(program.warnings) == wanted:
                continue
            if isinstance(call.error, ag.SignatureError) or (
                    isinstance(call.error, ag.InvalidArgumentError)
                    and "the file has no source" in str(call.error)):
                return Fate(program.name, UNTRACED, str(call.error).split("\n")[0][:100])
            if executor == "interpreter" and isinstance(call.error, RecursionError):
                return Fate(program.name, UNTRACED, "it recurs deeper than the interpreter can")
            return Fate(program.name, WRONG, f"{executor}: {call.describe()}, not {wanted}"[:300])
    return Fate(program.name, SURVIVED)


def in_another_process(programs: Sequence[Saved], folder: Path) -> list[Fate]:
    """Runs programs in a process that has NumPy and the runtime, and not the compiler's needs."""
    given, made = folder / "programs", folder / "fates"
    given.write_bytes(pickle.dumps(programs))
    code = (f"import sys; sys.modules.update(dict.fromkeys({WITHOUT_COMPILER}))\n"
            f"from tests.support import survival; survival.answer({str(given)!r}, {str(made)!r})")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=folder,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})
    return list(pickle.loads(made.read_bytes()))


def answer(given: str, made: str) -> None:
    """What the other process does."""
    def fate(program: Saved) -> Fate:
        try:
            return outcome(program)
        except Exception as error:
            return Fate(program.name, WRONG, f"{type(error).__name__}: {error}"[:300])

    with redirect_stdout(io.StringIO()):
        fates = list(map(fate, pickle.loads(Path(given).read_bytes())))
    assert "autograph.staging.tensors" not in sys.modules
    Path(made).write_bytes(pickle.dumps(fates))


def fates(cases: Sequence[Any], quiet: Sequence[str], folder: Path) -> Iterator[Fate]:
    """Yields what becomes of each program; the warnings of those in `quiet` are not compared."""
    with redirect_stdout(io.StringIO()):
        programs = [saved(case, case.name not in quiet) for case in cases]
    yield from (p for p in programs if isinstance(p, Fate))
    yield from in_another_process([p for p in programs if isinstance(p, Saved)], folder)


def report() -> None:
    """Prints the number of programs of each fate, and each that did not survive."""
    from tests.corpus.cases import CASES, GAPS, OTHER_WARNINGS, ROWS

    cases = [case for case in (*CASES, *ROWS) if f"traced: {case.name}" not in GAPS]
    with tempfile.TemporaryDirectory() as folder:
        found = list(fates(cases, list(OTHER_WARNINGS), Path(folder)))
    for kind in (WRONG, REFUSED, UNTRACED, UNREAD):
        for fate in sorted((f for f in found if f.kind == kind), key=lambda f: (f.why, f.name)):
            print(f"{fate.kind}: {fate.name}: {fate.why}")
    for kind in (SURVIVED, REFUSED, UNTRACED, UNREAD, WRONG):
        print(f"{kind:<10}{sum(f.kind == kind for f in found)}")


if __name__ == "__main__":  # the other process knows the classes under the module's own name
    from tests.support import survival

    survival.report()
