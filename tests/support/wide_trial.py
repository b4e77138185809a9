"""A wide trial: public functions of scientific packages, called from a decorated function.

    python -m tests.support.wide_trial [package ...]

Each function is given made-up arguments: the first set that it takes. It is called plainly and
traced, with a second set of the same types and other values on the same trace; results, exceptions
and what is left in the arguments have to agree. The table says how many of each package were tried,
agree, are refused or differ, and why. Packages that are not installed are left out.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import io
import os
import re
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph as ag

Fn = Callable[..., Any]

PACKAGES: dict[str, tuple[str, ...]] = {
    "sklearn": ("sklearn.metrics", "sklearn.preprocessing", "sklearn.utils", "sklearn.covariance",
                "sklearn.metrics.pairwise", "sklearn.feature_selection", "sklearn.linear_model",
                "sklearn.cluster", "sklearn.decomposition", "sklearn.manifold", "sklearn.impute"),
    "skimage": ("skimage.filters", "skimage.transform", "skimage.exposure", "skimage.measure",
                "skimage.morphology", "skimage.feature", "skimage.color", "skimage.util",
                "skimage.restoration", "skimage.segmentation", "skimage.metrics"),
    "statsmodels": ("statsmodels.tsa.api", "statsmodels.stats.api", "statsmodels.tools",
                    "statsmodels.tsa.stattools", "statsmodels.robust", "statsmodels.api"),
    "pandas": ("pandas", "pandas.api.types"),
    "networkx": ("networkx",), "shapely": ("shapely",), "astropy": (
        "astropy.stats", "astropy.convolution", "astropy.units", "astropy.timeseries"),
    "xarray": ("xarray",), "pywt": ("pywt",), "sympy": ("sympy",), "mpmath": ("mpmath",),
    "uncertainties": ("uncertainties", "uncertainties.umath", "uncertainties.unumpy"),
    "lmfit": ("lmfit.lineshapes", "lmfit"), "bottleneck": ("bottleneck",),
    "patsy": ("patsy",), "einops": ("einops",), "more_itertools": ("more_itertools",),
    "toolz": ("toolz",), "pint": ("pint",), "numexpr": ("numexpr",), "imageio": ("imageio.v3",),
    "tifffile": ("tifffile",), "erfa": ("erfa",), "asteval": ("asteval",), "joblib": ("joblib",),
    "scipy": ("scipy.special", "scipy.signal", "scipy.ndimage", "scipy.stats", "scipy.linalg"),
}
"""Package -> its modules whose public functions and classes are tried."""

SKIPPED = re.compile(
    r"plot|show|fetch|download|read|save|write|main|test|load|set_|open|view|exit|server|dump|draw"
    r"|thread|parallel|random|rand|clear|print|config|option|warn|export|gaussian_blur|install"
    r"|input|seed|sleep|cpu|info|memory|version|deprecat|backend|engine|scatter|display|import")
"""Names of functions with effects outside the process, or with other results each time."""

SECONDS = 4
"""A call that takes longer is left out."""


def made_up(seed: int) -> list[tuple[Any, ...]]:
    """Argument sets, from the likeliest to the least likely."""
    rng = np.random.default_rng(seed)
    v, w = rng.normal(size=24), rng.normal(size=24)
    p, m = rng.uniform(0.1, 0.9, size=24), rng.normal(size=(8, 3))
    image = rng.uniform(size=(16, 16))
    labels, other = rng.permutation(np.arange(24) % 3), rng.permutation(np.arange(24) % 3)
    mask, square = image > 0.5, m.T @ m + np.eye(3)
    return [(v,), (m,), (image,), (v, w), (labels, other), (m, v[:8]), (v[:8], m), (m, m * 2),
            (p,), (p, v), (v, 2), (m, 2), (image, 2), (mask,), (labels,), (image, image[::-1]),
            (image, mask), (square,), (square, v[:3]), (labels, p), (v, w, p), (v, "db1"),
            (image[..., None] * np.ones(3),), (float(v[0]),), (float(p[0]),), (int(labels[0]) + 2,),
            (v.tolist(),), (2, v.tolist()), (v[0], w[0]), (labels.tolist(), 2), (np.abs, v),
            (np.abs, v.tolist()), (float(p[0]), float(p[1])), (p[0], p[1], p[2])]


class Late(BaseException):
    """Not an Exception: no handler of a library's may catch it."""


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises `Late` in the block after so many seconds; nothing is printed in it."""
    def ring(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.alarm(0)


def outcome(f: Fn, arguments: tuple[Any, ...]) -> str:
    """The result or exception of a call, and what it leaves in its arguments, as text."""
    given = copy.deepcopy(arguments)
    try:
        with limited(SECONDS):
            made = described(f(*given))
    except Exception as error:
        made = f"raises {type(error).__name__}: {str(error).partition(chr(10))[0]}"
    return f"{made}\nleaves {described(given)}"


def described(x: Any, depth: int = 0) -> str:
    """A text that is equal for equal values; of other objects the class and text, no address."""
    if isinstance(x, np.ndarray):
        return f"{type(x).__name__} {x.dtype} {x.shape} {x.tolist()!r}"
    if isinstance(x, list | tuple) and depth < 5:
        return f"{type(x).__name__}({', '.join(described(v, depth + 1) for v in x)})"
    if isinstance(x, dict) and depth < 5:
        return str({str(k): described(v, depth + 1) for k, v in x.items()})
    if isinstance(x, Iterator):
        return f"iterator of {described(list(zip(range(50), x, strict=False)), depth + 1)}"
    text = re.sub(r"0x[0-9a-f]+", "", repr(x))
    return f"{type(x).__name__} {text}"


def functions_of(modules: tuple[str, ...]) -> Iterator[tuple[str, Fn]]:
    """Names and functions of modules, those that are no exceptions and have no other effects."""
    seen: set[int] = set()
    for name in modules:
        try:
            module = importlib.import_module(name)
        except Exception:
            continue
        for key in sorted(getattr(module, "__all__", None) or vars(module)):
            f = getattr(module, key, None)
            own = str(getattr(f, "__module__", "") or name).partition(".")[0]
            if (callable(f) and not key.startswith("_") and not SKIPPED.search(key.lower())
                    and id(f) not in seen and own in (name.partition(".")[0], "numpy")
                    and not (isinstance(f, type) and issubclass(f, BaseException))):
                seen.add(id(f))
                yield f"{name}.{key}", f


def accepted(f: Fn) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """Two argument sets that a function takes, with the same result each time it is called."""
    for first, second in zip(made_up(1), made_up(2), strict=True):
        plain = outcome(f, first)
        if not plain.startswith("raises"):
            again = outcome(f, first) == plain and not outcome(f, second).startswith("raises")
            return (first, second) if again else None
    return None


def verdict(f: Fn, sets: tuple[tuple[Any, ...], ...]) -> str:
    """"agrees", "refused: …" or "differs: …"."""
    def program(*args: Any) -> Any:
        return f(*args)

    traced = ag.function(program, max_traces=50)
    for arguments in (*sets, sets[0]):
        plain, got = outcome(program, arguments), outcome(traced, arguments)
        if got.startswith("raises") and not plain.startswith("raises"):
            return f"refused: {got.partition(chr(10))[0][7:150]}"
        if got != plain:
            return f"differs: {got[:90]} / {plain[:90]}"
    return "agrees"


def try_package(package: str, most: int) -> None:
    """Prints a line for each function of a package."""
    found = [x for x in functions_of(PACKAGES[package])
             if len(inspect.getdoc(x[1]) or "x") > 0]
    for name, f in found[::max(1, -(-len(found) // most))]:
        try:
            sets = accepted(f)
            if sets is not None:
                print(f"{name}\t{verdict(f, sets)}", flush=True)
        except Late:
            continue
        except Exception as error:
            print(f"{name}\trefused: {type(error).__name__} {error!s:.100}", flush=True)


def table(packages: list[str], most: int, seconds: int) -> dict[str, Counter[str]]:
    """Tries each package in a process of its own, and prints a row for it."""
    rows: dict[str, Counter[str]] = {}
    print(f"{'package':16}{'tried':>6}{'agree':>7}{'refused':>9}{'differ':>8}")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            continue
        command = [sys.executable, "-m", "tests.support.wide_trial", "--one", package, str(most)]
        try:
            text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, timeout=seconds, check=False).stdout
        except subprocess.TimeoutExpired as late:
            text = (late.stdout or b"").decode()
        lines = [line.partition("\t") for line in text.splitlines() if "\t" in line]
        count = Counter(made.partition(":")[0] for _, _, made in lines)
        rows[package] = count
        print(f"{package:16}{len(lines):6}{count['agrees']:7}{count['refused']:9}"
              f"{count['differs']:8}", flush=True)
        for name, _, made in lines:
            if made != "agrees":
                print(f"    {name}: {made}", flush=True)
    total = sum(rows.values(), Counter[str]())
    print(f"{'all':16}{total.total():6}{total['agrees']:7}{total['refused']:9}"
          f"{total['differs']:8}")
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        try_package(sys.argv[2], int(sys.argv[3]))
    else:
        table(sys.argv[1:] or list(PACKAGES), int(os.environ.get("AUTOGRAPH_TRIAL_MOST", "60")),
              600)
