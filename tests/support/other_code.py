"""Other people's code: calls of a folder's functions and methods, plainly and traced.

    python -m tests.support.other_code FOLDER [--mode default] [--share 0/2] [--most 100] [-k TEXT]

What the doctests and tests of the folder's files call is called again with the same arguments, and
with these as NumPy's arrays and numbers. A line is printed for each function, and a table of the
reasons at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import os
import pathlib
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.support.beside_plain import (
    Arguments,
    Late,
    Verdict,
    limited,
    main_limits,
    reason,
    verdict,
)
from tests.support.made_up import made_up
from tests.support.recorded_calls import Called, calls_of

SKIPPED = re.compile(r"web_programming|/scripts/|/docs/|file_transfer|setup\.py|/audio_filters|"
                     r"plots|rl_models|reinforcement|computer_vision|/ipynb/")
UNCALLED = re.compile(r"plot|draw|main|demo|show|read|write|load|save|input|benchmark")


def as_arrays(x: Any) -> Any:
    """Numbers and lists of numbers as arrays."""
    if isinstance(x, bool):
        return x
    if isinstance(x, float) or (isinstance(x, int) and abs(x) < 2**62):
        return np.array(x)
    if isinstance(x, list) and x:
        with contextlib.suppress(Exception):
            made = np.array(x)
            if made.dtype.kind in "if":
                return made
    return inside(as_arrays, x)


def as_scalars(x: Any) -> Any:
    """Numbers as NumPy's."""
    if type(x) is float:
        return np.float64(x)
    if type(x) is int and abs(x) < 2**62:
        return np.int64(x)
    return inside(as_scalars, x)


def inside(form: Callable[[Any], Any], x: Any) -> Any:
    """The items of a container in a form."""
    if type(x) in (list, tuple):
        return type(x)(map(form, x))
    if type(x) is dict:
        return {k: form(v) for k, v in x.items()}
    return x


def forms_of(sets: list[Arguments]) -> Iterator[tuple[str, list[Arguments]]]:
    """Argument sets as they are, as arrays and as NumPy's numbers, where these are others."""
    yield "given", sets
    before = {Picture().of(s) for s in sets}
    for form in (as_arrays, as_scalars):
        others = [s for s in (inside(form, given) for given in sets[:3])
                  if Picture().of(s) not in before]
        if others:
            yield form.__name__, others


def guessed(module: Any) -> Iterator[Called]:
    """The functions of a module that no example calls, with made-up arguments."""
    from tests.support.beside_plain import seen

    for key, f in sorted(vars(module).items()):
        if (getattr(f, "__module__", "") != module.__name__ or not hasattr(f, "__code__")
                or UNCALLED.search(key)):
            continue
        found = Called(f"{module.__name__}.{key}", f)
        for first, second in zip(made_up(1), made_up(2), strict=True):
            with contextlib.suppress(Late, Exception):
                if len(found.calls) < 6 and seen(f, (first, {}), 3).error is None:
                    found.note(first, {})
                    found.note(second, {})
        if found.calls:
            yield found


def tried(called: Called, mode: str) -> Iterator[tuple[str, Verdict]]:
    """The verdict on a function for each form of its arguments."""
    began = time.process_time()
    for form, sets in forms_of(list(called.calls.values())):
        if time.process_time() - began < 60:
            yield form, verdict(called.function, sets, mode)


def modules_of(root: pathlib.Path, files: list[pathlib.Path]) -> Iterator[ModuleType]:
    """The modules of files below a folder; those that do not load are told."""
    for file in files:
        name = str(file.relative_to(root))[:-3].replace("/", ".").removesuffix(".__init__")
        try:
            with contextlib.redirect_stdout(io.StringIO()), limited(20):
                module = loaded(name, file)
        except (Exception, Late, SystemExit) as error:
            print(f"# {name} does not load: {error!r:.150}", flush=True)
        else:
            yield module


def loaded(name: str, file: pathlib.Path) -> ModuleType:
    """A module by its name, or of its file, if this repository has one of that name."""
    if name.partition(".")[0] != "tests":
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(f"their_{name}", file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_of(root: pathlib.Path, text: str, most: int, share: str) -> list[pathlib.Path]:
    """Some files below a folder, in an order that is random and the same each time."""
    files = [p for p in sorted(root.rglob("*.py"))
             if text in str(p) and not SKIPPED.search(f"/{p.relative_to(root)}")]
    random.Random(5).shuffle(files)
    number, of = map(int, share.split("/"))
    return files[:most][number::of]


def main() -> None:
    p = argparse.ArgumentParser("tests.support.other_code", description=__doc__)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--mode", default="default", choices=MODES)
    p.add_argument("--share", default="0/1", help="K/N: the K-th of N parts of the files")
    p.add_argument("--most", type=int, default=10_000, help="so many files")
    p.add_argument("--guess", action="store_true", help="make arguments up where none are found")
    p.add_argument("--traces", action="store_true", help="print tracebacks")
    p.add_argument("-k", default="", help="files with this text in their path")
    args = p.parse_args()
    main_limits()
    warnings.simplefilter("ignore")
    root = args.folder.resolve()
    sys.path.insert(0, str(root))
    os.chdir(root)
    count, reasons, done = Counter[str](), Counter[str](), set[str]()
    for module in modules_of(root, files_of(root, args.k, args.most, args.share)):
        found = [*calls_of(module, root)]
        names = {called.name for called in found}
        if args.guess:
            found += [g for g in guessed(module) if g.name not in names]
        for called in found:
            if called.name in done:
                continue
            done.add(called.name)
            for form, v in tried(called, args.mode):
                count[v.kind] += 1
                count["calls"] += v.calls
                reasons[f"{v.kind}: {reason(v.why)}"] += v.kind in ("refused", "late")
                print(f"{called.name}\t{form}\t{v.kind}\t{v.calls}\t{v.why}", flush=True)
                if args.traces and v.trace:
                    print(v.trace[-2500:], flush=True)
    print(f"# {len(done)} functions; {dict(count)}")
    for why, n in (+reasons).most_common():
        print(f"# {n:4} {why}")


if __name__ == "__main__":
    main()
