"""The rules of algebra: both sides on samples of every type that the rule is for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autograph.runtime.ir.types import type_of
from autograph.runtime.optimize.algebra import traced
from autograph.runtime.optimize.algebraic_rules import EXACT, FAST, Rule

FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 1e-310, 5e-324, 1e308, -1e300, np.inf, -np.inf, np.nan,
          2.0**60, 7.25]
CONSTANTS = (1, 2, 3, -4, 0.5, 0.25, 3.7, -2.0, 100, np.float64(1.0),
             np.float32(1.0), np.float64(2.5), (15,), (0,),
             *(np.full(15, x, t) for t in (np.float64, np.float32, np.int8) for x in (1, -0.0)))


def arrays() -> list[object]:
    """Vectors and scalars of every dtype, the awkward numbers of the dtype among them."""
    found: list[object] = []
    for dtype in (np.float64, np.float32):
        with np.errstate(over="ignore"):
            vector = np.array(FLOATS).astype(dtype)
        found += [vector, vector[::-1].copy(), vector[5], vector[1]]
    for dtype in (np.int64, np.int8, np.uint8):
        limits = np.iinfo(dtype)
        vector = np.array([0, 1, 2, 3, 7, 100, limits.min, limits.max, limits.max // 2, 5, 6, 8, 9,
                           10, 11], dtype)
        found += [vector, vector[::-1].copy(), vector[3]]
    mask = np.arange(15) % 3 == 0
    return [*found, mask, ~mask]


def samples(rule: Rule) -> list[tuple[object, ...]]:
    """Operands for which the rule holds."""
    choices = [CONSTANTS if name in "cd" else arrays() for name in rule.parameters]
    return [operands for operands in itertools.product(*choices) if holds(rule, operands)]


def holds(rule: Rule, operands: tuple[object, ...]) -> bool:
    known = [x if name in "cd" else type_of(x)
             for name, x in zip(rule.parameters, operands, strict=True)]
    try:
        result = type_of(rule.before(*operands))
    except (TypeError, OverflowError, ValueError):
        return False
    return rule.when(result, *known) and type_of(rule.after(*operands)) == result


def title(rule: Rule) -> str:
    return f"line {rule.before.__code__.co_firstlineno}"


def same_bits(a: object, b: object) -> bool:
    """Whether two arrays hold the same bits; one NaN is as good as another."""
    a, b = np.asarray(a), np.asarray(b)
    nan = np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    same = np.array([x.tobytes() == y.tobytes() for x, y in zip(a.flat, b.flat, strict=True)])
    return bool(np.all(same.reshape(a.shape) | (nan & (b != b))))


@pytest.mark.parametrize("rule", EXACT, ids=title)
@np.errstate(all="ignore")
def test_exact_rules_give_the_same_bits(rule: Rule) -> None:
    found = samples(rule)
    assert found
    for operands in found:
        before, after = rule.before(*operands), rule.after(*operands)
        assert same_bits(before, after), (operands, before, after)


@pytest.mark.parametrize("rule", FAST, ids=title)
@np.errstate(all="ignore")
def test_fast_rules_are_close_on_ordinary_numbers(rule: Rule) -> None:
    random = np.random.default_rng(1)
    vectors = [random.uniform(0.5, 2, 9) for _ in rule.parameters]
    operands = tuple(c if name in "cd" else v
                     for name, v, c in zip(rule.parameters, vectors, (3, 5, 7), strict=False))
    assert holds(rule, operands)
    np.testing.assert_allclose(rule.after(*operands), rule.before(*operands), rtol=1e-12)


@pytest.mark.parametrize("rule", [*EXACT, *FAST], ids=title)
def test_a_rule_has_one_pattern_of_all_its_parameters(rule: Rule) -> None:
    pattern = traced(rule)
    used = {v for e in [pattern.root, *pattern.makers.values()] for v in e.inputs}
    assert set(pattern.parameters) <= used
    assert rule.after.__code__.co_varnames[: rule.after.__code__.co_argcount] == rule.parameters


def test_no_rule_is_there_twice() -> None:
    lines = [title(r) for r in (*EXACT, *FAST)]
    assert len(set(lines)) == len(lines) >= 45
