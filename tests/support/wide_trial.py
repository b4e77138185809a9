"""A wide trial: public functions of scientific packages, called from a decorated function.

    python -m tests.support.wide_trial [package ...]

Each function is given made-up arguments: the first set that it takes. It is called plainly and
traced, with a second set of the same types and other values on the same trace; results, exceptions
and what is left in the arguments have to agree. The table says how many of each package were tried,
agree, are refused or differ, and why. Packages that are not installed are left out.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.support.beside_plain import Arguments, Fn, Late, main_limits, seen, verdict
from tests.support.made_up import made_up

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
    "opt_einsum": ("opt_einsum",), "numpy_financial": ("numpy_financial",), "nolds": ("nolds",),
    "ruptures": ("ruptures", "ruptures.metrics", "ruptures.costs", "ruptures.utils"),
    "control": ("control",), "pymannkendall": ("pymannkendall",), "transforms3d": (
        "transforms3d.affines", "transforms3d.axangles", "transforms3d.euler",
        "transforms3d.quaternions", "transforms3d.reflections", "transforms3d.shears",
        "transforms3d.taitbryan", "transforms3d.zooms"),
    "colour": ("colour", "colour.algebra", "colour.models"),
    "hmmlearn": ("hmmlearn.hmm", "hmmlearn.utils"),
    "librosa": ("librosa", "librosa.feature", "librosa.util"), "igraph": ("igraph",),
    "trimesh": ("trimesh.transformations", "trimesh.triangles", "trimesh.geometry", "trimesh.util",
                "trimesh.creation", "trimesh.points", "trimesh.grouping"),
    "polars": ("polars",), "sparse": ("sparse",), "autoray": ("autoray.numpy", "autoray"),
    "scipy": ("scipy.special", "scipy.signal", "scipy.ndimage", "scipy.stats", "scipy.linalg"),
}
"""Package -> its modules whose public functions and classes are tried."""

SKIPPED = re.compile(
    r"plot|show|fetch|download|read|save|write|main|test|load|set_|open|view|exit|server|dump|draw"
    r"|thread|parallel|random|rand|clear|print|config|option|warn|export|gaussian_blur|install"
    r"|input|seed|sleep|cpu|info|memory|version|deprecat|backend|engine|scatter|display|import")
"""Names of functions with effects outside the process, or with other results each time."""

SECONDS = 4.0
"""A call that takes longer is left out."""


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


def accepted(f: Fn) -> list[Arguments] | None:
    """Two argument sets that a function takes, with the same result each time it is called."""
    for first, second in zip(made_up(1), made_up(2), strict=True):
        plain = seen(f, (first, {}), SECONDS)
        if plain.error is None:
            again = not seen(f, (first, {}), SECONDS).difference(plain)
            takes = again and seen(f, (second, {}), SECONDS).error is None
            return [(first, {}), (second, {})] if takes else None
    return None


def program_of(f: Fn) -> Fn:
    """A function of the user's that calls one of a library's."""
    def program(*args: Any) -> Any:
        return f(*args)

    return program


def try_package(package: str, most: int, mode: str) -> None:
    """Prints a line for each function of a package."""
    found = [x for x in functions_of(PACKAGES[package])
             if len(inspect.getdoc(x[1]) or "x") > 0]
    for name, f in found[::max(1, -(-len(found) // most))]:
        try:
            sets = accepted(f)
            if sets is not None:
                made = verdict(program_of(f), sets, mode)
                print(f"{name}\t{made.kind}: {made.why[:200]}", flush=True)
        except Late:
            continue
        except Exception as error:
            print(f"{name}\trefused: {type(error).__name__} {error!s:.100}", flush=True)


def table(packages: list[str], most: int, seconds: int, mode: str = "default"
          ) -> dict[str, Counter[str]]:
    """Tries each package in a process of its own, and prints a row for it."""
    rows: dict[str, Counter[str]] = {}
    print(f"{'package':16}{'tried':>6}{'agree':>7}{'refused':>9}{'differ':>8}")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            continue
        command = [sys.executable, "-m", "tests.support.wide_trial", "--one", package, str(most),
                   mode]
        try:
            text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True, timeout=seconds, check=False).stdout
        except subprocess.TimeoutExpired as late:
            text = (late.stdout or b"").decode()
        lines = [line.partition("\t") for line in text.splitlines() if "\t" in line]
        count = Counter(made.partition(":")[0] for _, _, made in lines)
        rows[package] = count
        print(f"{package:16}{len(lines):6}{count['same']:7}{count['refused']:9}"
              f"{count['wrong'] + count['late']:8}", flush=True)
        for name, _, made in lines:
            if not made.startswith("same"):
                print(f"    {name}: {made}", flush=True)
    total = sum(rows.values(), Counter[str]())
    print(f"{'all':16}{total.total():6}{total['same']:7}{total['refused']:9}"
          f"{total['wrong'] + total['late']:8}")
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        main_limits()
        try_package(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        table(sys.argv[1:] or list(PACKAGES), int(os.environ.get("AUTOGRAPH_TRIAL_MOST", "60")),
              600, os.environ.get("AUTOGRAPH_TRIAL_MODE", "default"))
