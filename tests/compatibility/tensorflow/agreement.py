"""Runs functions plainly and decorated, and compares all that can be seen of a call."""

import numpy as np

import autograph as ag


def outcome(f, args):
    """What a call gives or raises."""
    try:
        return plain(f(*args))
    except Exception as error:
        return type(error), str(error).splitlines()[:1]


def plain(x):
    if isinstance(x, (list, tuple, set, frozenset)):
        return type(x), [plain(y) for y in x]
    if isinstance(x, dict):
        return type(x), [(k, plain(v)) for k, v in x.items()]
    return type(x), getattr(x, "dtype", None), np.asarray(x).tolist()


def agree(f, *calls, **options):
    """Assert that plain and decorated function give the same; each call is a function that makes
    the arguments."""
    traced = ag.function(f, **options)
    for make in calls:
        args, same = make(), make()
        assert outcome(traced, args) == outcome(f, same)
        assert plain(args) == plain(same)
    return traced


def on(*values):
    return [lambda v=v: (v,) for v in values]
