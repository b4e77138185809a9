"""The kernels of NPBench, a public collection, against plain NumPy, bit for bit.

    python -m benchmarks.public_kernels CHECKOUT [--cpu] [--numpy] [--native] [--size=M] [name ...]

CHECKOUT is a checkout of https://github.com/spcl/npbench (Ziogas et al., "NPBench: a benchmarking
suite for high-performance NumPy", ICS 2021): nothing of it is part of this repository. The sizes
are the collection's S, M, L. `--native` demands machine code; the other options are those of
`benchmarks.kernels`.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autograph.runtime.kernels import tiled
from benchmarks import kernels
from benchmarks.kernel_programs import Kernel


def found_in(checkout: Path, size: str) -> Iterator[tuple[str, Kernel]]:
    """Yields the kernels that can be imported here, by name."""
    for path in sorted((checkout / "bench_info").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8"))["benchmark"]
        module = f"npbench.benchmarks.{about['relative_path'].replace('/', '.')}." + (
            about["module_name"])
        try:
            function = getattr(importlib.import_module(f"{module}_numpy"), about["func_name"])
            makes = importlib.import_module(module) if about.get("init") else None
            arguments = partial(_arguments, about, makes, size)
            arguments(np.random.default_rng(0))  # some import what makes their data
        except ImportError as error:
            print(f"{path.stem:<28}left out: {error}")
            continue
        yield path.stem, Kernel(function, arguments)


def _arguments(about: dict[str, Any], makes: Any, size: str, rng: np.random.Generator
               ) -> tuple[Any, ...]:
    known: dict[str, Any] = dict(about["parameters"][size])
    if makes is not None:
        given = about["init"]
        made = getattr(makes, given["func_name"])(*(known[name] for name in given["input_args"]))
        names = given["output_args"]
        known.update(zip(names, [made] if len(names) == 1 else made, strict=True))
    return tuple(known[name] for name in about["input_args"])


def main() -> None:
    """The kernels named on the command line, or all."""
    options = [x for x in sys.argv[1:] if x.startswith("--")]
    checkout, *names = [x for x in sys.argv[1:] if not x.startswith("--")] or ["."]
    size = next((x.removeprefix("--size=") for x in options if x.startswith("--size=")), "S")
    sys.path.insert(0, checkout)
    warnings.simplefilter("ignore")
    tiled.set_threads(1)
    found = dict(found_in(Path(checkout), size))
    if not found:
        sys.exit(f"{checkout}: no checkout of NPBench (its folder bench_info has no kernels)")
    kernels.report({name: found[name] for name in names or found})


if __name__ == "__main__":
    main()
