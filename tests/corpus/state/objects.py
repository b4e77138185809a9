"""Exceptions, and objects with slots, that a branch or loop makes or chooses."""


from tests.corpus.arguments import SCALARS
from tests.corpus.case import titled


def error_with_symbolic(x):
    err = None
    if x < 0:
        err = ValueError(x * 2, "neg")
    if err is not None:
        return err.args, str(err)
    return "none"


def error_made_by(x):
    def make(v):
        if v < 0:
            return ValueError(f"neg {v}")
        return KeyError("pos")

    if x < 10:
        raise make(x)
    return x


def error_collected(x):
    errors = []
    for k in range(3):
        try:
            if x < k:
                raise ValueError(f"{x} < {k}")
        except ValueError as e:
            errors.append(e)
    return len(errors), [str(e) for e in errors]


def error_result(x):
    def check(v):
        if v < 0:
            return None, ValueError("neg")
        return v, None

    value, err = check(x)
    if err:
        return "failed", str(err)
    return value


class Sl:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    def plus(self, v):
        return Sl(self.a + v, self.b)


def slots_made_in_branch(x):
    if x > 0:
        p = Sl(x, 1.0)
    else:
        p = Sl(-x, 2.0)
    return p.a, p.b


def slots_made_in_loop(x):
    p = Sl(0.0, 1.0)
    for i in range(12):
        p = p.plus(x)
        if p.a > 20:
            break
    return p.a, p.b


def slots_chosen(x):
    p, q = Sl(x, 1.0), Sl(1.0, x)
    r = p if x > 1 else q
    r.a = 7.0
    return p.a, q.a, r.b


class Err(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


def own_error_made_in_branch(x):
    e = Err(x) if x > 0 else Err(x - 1)
    return e.code, str(e), e.args


def own_error_raised_later(x):
    e = Err(x) if x > 0 else None
    if e is not None:
        raise e
    return "none"


CASES = [
    titled("error with symbolic", error_with_symbolic, *SCALARS),
    titled("error made by", error_made_by, *SCALARS),
    titled("error collected", error_collected, *SCALARS),
    titled("error result", error_result, *SCALARS),
    titled("slots made in branch", slots_made_in_branch, *SCALARS),
    titled("slots made in loop", slots_made_in_loop, *SCALARS),
    titled("slots chosen", slots_chosen, *SCALARS),
    titled("own error made in branch", own_error_made_in_branch, *SCALARS),
    titled("own error raised later", own_error_raised_later, *SCALARS),
]
