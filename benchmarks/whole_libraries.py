"""Runs `to_code --all` over whole libraries: what is converted, what is refused, what goes wrong.

    python -m benchmarks.whole_libraries                      the standard library, NumPy, SciPy …
    python -m benchmarks.whole_libraries stdlib numpy -j 2    some of them, in two processes
    python -m benchmarks.whole_libraries --every 20           every twentieth file of each
    python -m benchmarks.whole_libraries path/to/package

Libraries that are not installed are left out. Every text that comes out is compiled. The exit code
is 1 if anything raises that is no refusal, or if a text does not compile.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import sysconfig
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from autograph.syntax.recursion_limit import deep_recursion
from autograph.tools.jobs import Settings, convert
from autograph.tools.targets import Target

LIBRARIES = ("stdlib", "numpy", "scipy", "sklearn")


@dataclass
class Outcome:
    """The outcome for some files.

    files, parsed        tried, and those that this Python can compile.
    functions, converted tried, and converted.
    refused              how often each error code refused a function.
    failures             what should not happen: a file, and the last line of the error.
    lines                lines of source.
    """

    files: int = 0
    parsed: int = 0
    functions: int = 0
    converted: int = 0
    lines: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __iadd__(self, other: Outcome) -> Outcome:
        for name in ("files", "parsed", "functions", "converted", "lines", "refused", "failures"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


def files_of(library: str) -> list[Path]:
    """The Python files of an installed library, of the standard library, or of a folder."""
    if library == "stdlib":
        root = Path(sysconfig.get_paths()["stdlib"])
        return [f for f in sorted(root.rglob("*.py")) if "site-packages" not in f.parts]
    if Path(library).exists():
        return sorted(Path(library).rglob("*.py"))
    spec = importlib.util.find_spec(library)
    folders = spec.submodule_search_locations if spec is not None else None
    return [f for folder in folders or () for f in sorted(Path(folder).rglob("*.py"))]


def tried(file: Path, verbose: bool = False) -> Outcome:
    """Converts every function of a file, and compiles what comes out."""
    made = Outcome(files=1)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return made
    made.lines = text.count("\n")
    if not compiles(text):
        return made
    try:
        with deep_recursion(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of the user's own literals
            result = convert(Target(str(file), text), Settings(every=True))
            if result.error is None:
                compile(result.printed, str(file), "exec", dont_inherit=True)
    except Exception as error:
        made.failures.append(f"{file}: {type(error).__name__}: {error}")
        if verbose:
            traceback.print_exc()
        return made
    made.parsed = int(result.error is None)
    made.functions = len(result.parts)
    made.converted = len(result.converted)
    made.refused.update(part.error.code for part in result.parts if part.error is not None)
    return made


def compiles(text: str) -> bool:
    """Returns True if Python takes a text: libraries hold files that are wrong on purpose."""
    try:
        with deep_recursion(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<tried>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def outcomes(files: list[Path], jobs: int, verbose: bool) -> Iterator[Outcome]:
    """The outcome of each file."""
    work = partial(tried, verbose=verbose)
    if jobs < 2:
        yield from map(work, files)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, files, chunksize=8)


def row(library: str, made: Outcome, seconds: float) -> str:
    """A line of the table."""
    refused = ", ".join(f"{code} x {n}" for code, n in sorted(made.refused.items())) or "none"
    return (f"{library:<10}{made.files:>6}{made.parsed:>8}{made.lines:>10}{made.functions:>10}"
            f"{made.converted:>10}{len(made.failures):>8}{seconds:>9.0f}   {refused}")


def main() -> int:
    """The table; a line for every file at which something went wrong."""
    p = argparse.ArgumentParser("benchmarks.whole_libraries", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("library", nargs="*", default=LIBRARIES)
    p.add_argument("-j", "--jobs", type=int, default=1, help="so many processes at once")
    p.add_argument("--every", type=int, default=1, help="only every so many-th file")
    p.add_argument("-v", "--verbose", action="store_true", help="tracebacks of what goes wrong")
    args = p.parse_args()
    print(f"{'':<10}{'files':>6}{'parsed':>8}{'lines':>10}{'functions':>10}{'converted':>10}"
          f"{'failed':>8}{'seconds':>9}   refused")
    total = Outcome()
    for library in args.library:
        files = files_of(library)[::args.every]
        if not files:
            print(f"{library:<10}  is not installed")
            continue
        began, made = time.perf_counter(), Outcome()
        for each in outcomes(files, args.jobs, args.verbose):
            made += each
        print(row(Path(library).name, made, time.perf_counter() - began), flush=True)
        print("".join(f"  {text}\n" for text in made.failures), end="")
        total += made
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
