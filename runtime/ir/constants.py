"""Constants of a graph: when two of them are the same, and how Python writes them."""

from __future__ import annotations


def same_constant(a: object, b: object) -> bool:
    """Returns True for constants that are one object, or plain values that nothing distinguishes.

    >>> same_constant(0.0, -0.0), same_constant(1, True), same_constant("a", "a")
    (False, False, True)
    """
    return a is b or (_is_plain(a) and type(a) is type(b) and (
        a == b if type(a) is int else repr(a) == repr(b)))  # Python shows no very long ints


def plain_text(x: object) -> str:
    """Returns a plain value as Python's `repr` does; a very long int, which that refuses, in hex.

    >>> plain_text(-12), len(plain_text(3 ** 10000))
    ('-12', 3965)
    """
    return hex(x) if type(x) is int and abs(x) >= LONG else repr(x)


LONG = 1 << 2048


def _is_plain(x: object) -> bool:
    return type(x) in (bool, int, float, complex, str, bytes)
