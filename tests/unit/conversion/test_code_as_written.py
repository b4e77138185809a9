"""Code of the user's that is not converted: what looks at its own frame, text that `eval` and
`exec` run, functions that they made, coroutines. What such code does belongs to each run."""

import asyncio
import itertools
import logging
import math
import os
import random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.functions_of_text import function_of


class Box:
    n = 0


LOG: list[Any] = []
GENERATOR = np.random.default_rng(0)
START = GENERATOR.bit_generator.state
SCOPE = {"np": np, "random": random, "os": os, "LOG": LOG, "GENERATOR": GENERATOR, "Box": Box,
         "logging": logging, "asyncio": asyncio, "math": math, "helper": lambda x: x,
         "__name__": "written"}

EFFECTS = {
    "draw": "return random.random()", "draw of NumPy": "return np.random.rand()",
    "draw of a generator": "return GENERATOR.random()", "seed": "random.seed(len(LOG))",
    "environment": "os.environ['AUTOGRAPH_TEST'] = os.environ.get('AUTOGRAPH_TEST', '') + 'a'",
    "append": "LOG.append(1)", "class attribute": "Box.n += 1",
    "setattr": "setattr(Box, 'n', Box.n + 1)",
    "library": "logging.root.name = logging.root.name + 'a'",
}
LOOKS = {
    "exec": "exec('pass')", "eval": "eval('1')", "vars": "found = vars()", "dir": "found = dir()",
    "locals": "found = [locals() for _ in range(1)]",
}
KINDS = {
    **{name: f"def act():\n    {look}\n    EFFECT\n" for name, look in LOOKS.items()},
    "around it": "def act():\n    vars()\n    def inner():\n        EFFECT\n    return inner()\n",
    "of exec": "made = {**globals()}\nexec(\"def act():\\n    EFFECT\", made)\nact = made['act']\n",
    "class of exec": "made = {**globals()}\ndel made['__name__']\n"
                     "exec(\"class A:\\n    def act(self):\\n        EFFECT\", made)\n"
                     "act = made['A']().act\n",
    "coroutine": "async def later():\n    EFFECT\ndef act():\n    return asyncio.run(later())\n",
}
HOMES = {
    "branch": "    if x > 1:\n        r = act()\n",
    "loop": "    for _ in range(x):\n        r = act()\n",
    "top": "    r = act()\n",
}


def outcome(f: Any) -> tuple[Any, ...]:
    """Returns what three calls give, and the state after them."""
    LOG.clear()
    Box.n = 0
    logging.root.name = "root"
    os.environ.pop("AUTOGRAPH_TEST", None)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    GENERATOR.bit_generator.state = START
    results = [float(f(np.int64(x))) for x in (0, 2, 3)]
    state = (LOG[:], Box.n, logging.root.name, os.environ.pop("AUTOGRAPH_TEST", ""),
             random.random(), np.random.rand(), GENERATOR.random())  # noqa: NPY002
    logging.root.name = "root"
    return results, state


BY_TRACE = {"append", "class attribute", "setattr", "library", "environment"}
"""Effects on state outside the arguments that, unless a branch or loop decides, happen while
tracing in the default mode."""

CASES = [case for case in itertools.product(KINDS, EFFECTS, HOMES, MODES) if not (
    case[1] in BY_TRACE and case[2:] == ("top", "default"))]


@pytest.mark.parametrize(("kind", "effect", "home", "mode"), CASES)
def test_each_run_does_what_plain_code_does(kind: str, effect: str, home: str, mode: str) -> None:
    text = KINDS[kind].replace("EFFECT", EFFECTS[effect])
    text += f"def f(x):\n    r = None\n{HOMES[home]}    return x if r is None else x + r\n"
    f = function_of(text, f"<as written: {kind} {effect} {home}>", SCOPE)
    wanted = outcome(f)
    try:
        found = outcome(ag.function(f, **MODES[mode]))
    except (ag.errors.TracingError, ag.FallbackWarning):
        found = wanted  # refused, and with the warnings that users see run as it was written
    assert found == wanted


TEXTS = {
    "x + 1": True, "np.sin(x) * 2": True, "max(3, 4) * x": True, "x if x is not None else 0": True,
    "math.pi + x": True, "(lambda: 3)() + x": True, "[x, x][0]": True, "abs(x).sum()": True,
    "random.random() + x": False, "LOG.append(1) or x": False, "box.n + x": True,
    "setattr(Box, 'n', 2) or x": False, "Box.n + x": False, "sum(k for k in [x])": False,
    "helper(x)": False, "__import__('os') and x": False, "x.shape": True, "box.bump() + x": False,
}


@pytest.mark.parametrize(("text", "explicit"), [
    (text, explicit) for text in TEXTS for explicit in (False, True)
    if not (explicit and "helper" in text)])
def test_text_runs_at_once_if_it_only_computes(text: str, explicit: bool) -> None:
    given = ", {'x': x, 'box': box, **scope}" if explicit else ""
    source = f"def f(x):\n    box = Box()\n    return eval({text!r}{given})"
    f = function_of(source, f"<text {text} {explicit}>", {**SCOPE, "scope": SCOPE})
    traced = ag.function(f)
    if TEXTS[text] or (explicit and text == "Box.n + x"):
        assert repr(traced(np.float64(2.5))) == repr(f(np.float64(2.5)))
    else:
        with pytest.raises(ag.errors.TracingError, match="the text that eval"):
            traced.graph(np.float64(2.5))


def names_of_its_own(x):
    known = dir(), sorted(vars()), [sorted(locals()) for _ in range(1)]
    exec("made = 3")

    def inner():
        return sorted(locals()), eval("sorted(locals())"), known[0]
    return known, inner(), eval("sorted(locals())"), x + 1


def test_no_name_of_a_conversion_is_seen() -> None:
    converted = ag.convert(names_of_its_own)
    assert converted(2) == names_of_its_own(2)


GIVEN = np.ones((5, 3))


def read_from_outside(w: Any) -> Any:
    return np.mean((GIVEN @ w) ** 2)


@pytest.mark.parametrize("wrapped", [
    ag.function(read_from_outside), ag.checkpoint(read_from_outside), ag.grad(read_from_outside),
    lambda w: ag.value_and_grad(read_from_outside)(w)[0],
    lambda w: ag.jacobian(read_from_outside)(w)], ids=[
        "function", "checkpoint", "grad", "value_and_grad", "jacobian"])
def test_functions_that_the_package_makes_of_the_users_are_traced(wrapped: Any) -> None:
    """The code of such a function is ours, though it has the user's name and module."""
    graph = ag.function(lambda w: wrapped(w) + 1.0).graph(np.ones((3, 2)), stage="traced")
    assert "read_from_outside(" not in str(graph)
    assert "matmul(GIVEN" in str(graph)
