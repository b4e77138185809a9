"""Changes of what modules of libraries hold, where the run decides: lists, dicts and attributes to
which names lead through modules, classes and objects; and streams that only `sys` leads to."""

from __future__ import annotations

import contextlib
import copyreg
import io
import json
import linecache
import logging
import mimetypes
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.functions_of_text import function_of

SCOPE: dict[str, Any] = {"sys": sys, "logging": logging, "json": json, "linecache": linecache,
                         "mimetypes": mimetypes, "copyreg": copyreg}

EFFECTS: dict[str, tuple[str, str]] = {
    "sys.path": ("sys.path.append('zz')", "'zz' in sys.path"),
    "sys.modules": ("sys.modules['zz'] = 3", "'zz' in sys.modules"),
    "linecache": ("linecache.cache['zz'] = 3", "'zz' in linecache.cache"),
    "a list of a module": ("sys.argv.append('zz')", "'zz' in sys.argv"),
    "a dict of a module": ("mimetypes.types_map['.zz'] = 'a'", "'.zz' in mimetypes.types_map"),
    "a dispatch table": ("copyreg.dispatch_table[int] = 3", "int in copyreg.dispatch_table"),
    "a dict of a module in it": (
        "json.encoder.ESCAPE_DCT['zz'] = 3", "'zz' in json.encoder.ESCAPE_DCT"),
    "a list of an object": ("logging.root.handlers.append('zz')", "'zz' in logging.root.handlers"),
    "an attribute of a module": ("json.encoder.zz = 3", "hasattr(json.encoder, 'zz')"),
    "an attribute of a class": ("json.JSONEncoder.zz = 3", "hasattr(json.JSONEncoder, 'zz')"),
    "an attribute of a class in a module in it": (
        "json.decoder.JSONDecodeError.zz = 3", "hasattr(json.decoder.JSONDecodeError, 'zz')"),
    "an attribute of an object": ("logging.root.zz = 3", "hasattr(logging.root, 'zz')"),
}

HOMES = {"a branch": "if y[0] > 1.5: {e}", "a loop": "for v in y:\n        if v > 1.5: {e}",
         "a while": "while y[0] < 2.5:\n        y = y + 1\n        if y[0] > 2.2: {e}"}


@contextlib.contextmanager
def unchanged() -> Iterator[None]:
    """Undoes the effects."""
    lists = sys.path, sys.argv, logging.root.handlers
    before = [list(x) for x in lists]  # type: ignore[call-overload]
    try:
        yield
    finally:
        for x, old in zip(lists, before, strict=True):
            x[:] = old  # type: ignore[index]
        for d in (sys.modules, linecache.cache, json.encoder.ESCAPE_DCT):
            d.pop("zz", None)  # type: ignore[attr-defined]
        mimetypes.types_map.pop(".zz", None)
        copyreg.dispatch_table.pop(int, None)
        for owner in (json.encoder, json.JSONEncoder, json.decoder.JSONDecodeError, logging.root):
            with contextlib.suppress(AttributeError):
                del owner.zz  # type: ignore[union-attr]


def seen(f: Any, probe: str) -> list[Any]:
    """Returns what three calls give, and if the effect has happened by then."""
    found = []
    with unchanged(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.errors.FallbackWarning)
        for y in (1.0, 2.0, 1.0):
            made = f(np.array([y, 1.0]))
            found.append((made.tolist(), eval(probe, SCOPE)))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("effect", EFFECTS)
def test_state_of_libraries(effect: str, home: str, mode: str) -> None:
    code, probe = EFFECTS[effect]
    text = f"def f(y):\n    {HOMES[home].format(e=code)}\n    return y\n"
    plain = function_of(text, f"<{effect} in {home}>", SCOPE)
    assert seen(ag.function(plain, **MODES[mode]), probe) == seen(plain, probe)


WRITES = {"stdout": "sys.stdout.write('w')", "stderr": "sys.stderr.write('w')",
          "a value": "sys.stdout.write(str(y[0]))", "print": "print('p', file=sys.stderr)"}


def written(f: Any) -> list[tuple[str, str]]:
    """Returns what each call writes, each to streams of its own."""
    found = []
    for y in (1.0, 2.0, 1.0, 3.0):
        with (contextlib.redirect_stdout(io.StringIO()) as out,
              contextlib.redirect_stderr(io.StringIO()) as err, warnings.catch_warnings()):
            warnings.simplefilter("ignore", ag.errors.FallbackWarning)
            f(np.array([y, 1.0]))
        found.append((out.getvalue(), err.getvalue()))
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("write", WRITES)
def test_redirected_streams(write: str, home: str, mode: str) -> None:
    if write == "print" and mode == "default":
        pytest.skip("prints belong to the trace in this mode")
    text = f"def f(y):\n    {HOMES[home].format(e=WRITES[write])}\n    return y\n"
    plain = function_of(text, f"<{write} in {home}>", SCOPE)
    assert written(ag.function(plain, **MODES[mode])) == written(plain)
