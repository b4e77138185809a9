"""Names in errors: the one that somebody meant who wrote one that there is not, and that of a class
in a sentence."""

from __future__ import annotations

from collections.abc import Collection


def nearest(name: str, known: Collection[str], like: float = 0.6) -> str:
    """Returns the known name that is most like another; empty if none is so much like it.

    >>> nearest("jit", ["jit_compile", "strict"]), nearest("strickt", ["jit_compile", "strict"])
    ('jit_compile', 'strict')
    """
    import difflib  # of use only where a name is wrong

    lower = {x.lower(): x for x in known}
    starts = [x for low, x in lower.items() if low.startswith(name.lower())]
    near = difflib.get_close_matches(name.lower(), lower, 1, like)
    return min(starts, key=len) if starts else lower[near[0]] if near else ""


def of_class(x: object) -> str:
    """Returns the name of an object's class with its article.

    >>> of_class(3), of_class("text")
    ('an int', 'a str')
    """
    name = type(x).__name__
    return f"an {name}" if name[0] in "aeioAEIO" else f"a {name}"
