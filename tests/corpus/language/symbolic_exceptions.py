"""`raise`, `assert`, `try`, `finally` and `with` around what only the run can raise."""

import contextlib

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled


def positive(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return x


def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    if x == 0:
        raise ZeroDivisionError
    return 1 / x


def raise_in_both_branches(x):
    if x < 0:
        raise ValueError("negative")
    else:
        raise KeyError("not negative")


def raise_class_of_choice(x):
    kind = ValueError if x < 0 else KeyError
    if x < 10:
        raise kind("low")
    return x


def raise_what_a_function_made(x):
    def made(v):
        return ValueError(1) if v < 0 else KeyError(2)

    if x < 10:
        raise made(x) from (OSError("cause") if x > 0 else None)
    return x


def raise_of_an_item(y, x):
    kinds = [ValueError, KeyError, OSError]
    y[0] = x
    if x < 1:
        y[1] = x
        raise kinds[int(x) % 3]("some")
    return y


def raise_from_a_choice(x):
    cause = OSError(1) if x > 0 else KeyError(2)
    raise ValueError("some") from cause


def raise_of_no_exception(x):
    error = 3 if x < 0 else "word"
    raise error


def raise_later(x):
    found = None
    try:
        raise ValueError("a") if x < 0 else TypeError("b")
    except ValueError as error:
        found = error
    except TypeError:
        pass
    if found is not None:
        raise found
    return "type error"


def raise_in_both_after_a_change(log, x):
    if x < 1:
        log.append("low")
        if x < 0:
            raise KeyError
        else:
            raise OSError
    return log


def raise_in_loop(n):
    total = 0
    for i in range(20):
        total += i
        if total > n:
            raise OverflowError(f"{total} after {i}")
    return total


def raise_in_while_else(n):
    while n > 2:
        n -= 3
        if n == 3:
            break
    else:
        raise LookupError("no break")
    return n


def assert_of_every_message(x, kind):
    if kind == 0:
        assert x > 0
    elif kind == 1:
        assert x > 0, x
    elif kind == 2:
        assert x > 0, ("pair", x)
    else:
        assert 0 < x < 30, f"{x:.2f} is out of range" + "!" * kind
    return x


def assert_in_loop(x):
    s = 0.0
    for v in x:
        assert v >= 0, "negative item"
        s += v
    return s


def assert_of_several(x):
    assert x.shape == (3,) and x.sum() > 0 and not x[0] == 9
    return x


def try_except(x):
    try:
        y = positive(x)
    except ValueError:
        y = -x
    return y


def except_as(x):
    try:
        y = positive(x)
    except ValueError as error:
        return str(error), len(error.args)
    return y


def except_tuple_and_order(x):
    try:
        if x < 0:
            raise KeyError("k")
        if x == 0:
            raise IndexError("i")
        positive(x - 30)
    except (KeyError, IndexError) as error:
        return type(error).__name__
    except Exception as error:
        return "other", error.args
    else:
        return "fine", x
    return "high"


def try_in_loop(x):
    bad, total = 0, 0.0
    for v in x:
        try:
            total += positive(v)
        except ValueError:
            bad += 1
            continue
        total += 1
    return bad, total


def try_around_loop(x):
    total = 0.0
    try:
        for v in x:
            total += positive(v)
    except ValueError:
        total = -total
    else:
        total += 100
    return total


def half_done(x):
    y = np.zeros(3)
    try:
        for i in range(3):
            y[i] = positive(x[i])
    except ValueError:
        return y
    return y * 2


def index_errors(x, i):
    try:
        return x[i]
    except IndexError:
        return "outside"


def numpy_raises(m):
    try:
        return np.linalg.inv(m)
    except np.linalg.LinAlgError:
        return "singular"


def integer_division(n):
    try:
        return 10 // int(n)
    except ZeroDivisionError:
        return "by zero"


def reraise(x):
    try:
        return positive(x)
    except ValueError:
        if x < -10:
            return "very low"
        raise


def raise_another(x):
    try:
        return positive(x)
    except ValueError as error:
        raise RuntimeError("wrapped") from error


def finally_counts(log, x):
    try:
        y = positive(x) + 1
    finally:
        log.append("done")
    return y


def finally_of_a_loop(log, x):
    for v in x:
        try:
            if v > 2:
                break
            if v < 0:
                continue
            log.append("item")
        finally:
            log.append("end")
    return log


def finally_returns(x):
    try:
        return positive(x)
    finally:
        if x < 0:
            return "swallowed"


def finally_restores(state, x):
    old = state["scale"]
    state["scale"] = x
    try:
        y = positive(x) * state["scale"]
    finally:
        state["scale"] = old
    return y


def nested_try(log, x):
    try:
        try:
            positive(x)
            log.append("inner")
        except KeyError:
            log.append("never")
        finally:
            log.append("inner finally")
        log.append("after")
    except ValueError:
        log.append("outer")
    return log


def else_raises(log, x):
    try:
        log.append("try")
    except ValueError:
        log.append("never")
    else:
        positive(x)
    finally:
        log.append("finally")
    return x


def except_star(x):
    seen = []
    try:
        if x < 0:
            raise ExceptionGroup("g", [ValueError("a"), KeyError("b")])
        if x == 0:
            raise ValueError("alone")
    except* ValueError as group:
        seen.append(len(group.exceptions))
    except* KeyError:
        seen.append("key")
    return seen, x


class Swallow:
    def __init__(self, kind):
        self.kind, self.seen = kind, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.seen = kind and kind.__name__
        return kind is not None and issubclass(kind, self.kind)


def with_swallows(x):
    y = -1.0
    with Swallow(ValueError) as guard:
        y = positive(x)
    return y, guard.seen


def with_does_not_swallow(x):
    guard = Swallow(KeyError)
    with guard:
        positive(x)
    return guard.seen


def with_suppress(x):
    y = x
    with contextlib.suppress(ValueError, KeyError):
        y = positive(x) * 2
    return y


def with_two(x):
    with Swallow(KeyError) as outer, Swallow(ValueError) as inner:
        positive(x)
    return outer.seen, inner.seen


@contextlib.contextmanager
def recorded(log):
    log.append("enter")
    try:
        yield len(log)
    except ValueError:
        log.append("value error")
    finally:
        log.append("exit")


def with_generator(log, x):
    with recorded(log) as n:
        positive(x)
        log.append(n)
    return log


def with_exit_stack(log, x):
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "callback")
        stack.enter_context(recorded(log))
        positive(x)
    return log


def return_through_everything(log, x):
    for v in x:
        with recorded(log):
            try:
                while v > 2:
                    v = v - 1
                    if v == 7:
                        return "seven", log
                if v < 0:
                    raise ValueError
            finally:
                log.append("finally")
    return "end", log


def errors_of_iteration(x):
    try:
        a, b = x[x > 0]
    except ValueError:
        return "not two"
    return a, b


def key_error(x):
    d = {"low": 1, "high": 2}
    try:
        name = "low" if x < 0 else "other"
        return d[name]
    except KeyError as error:
        return error.args


def error_with_attributes(x):
    class Strange(Exception):
        def __init__(self, value, *, why):
            super().__init__(value)
            self.why = why

    try:
        if x < 0:
            raise Strange(x * 2, why="negative")
    except Strange as error:
        return error.args[0], error.why
    return x


TABLE = np.arange(12.0).reshape(3, 4)


def _looked_up(v):
    return TABLE[int(np.where((TABLE == v).all(axis=-1))[0].item())]


def only_whether_it_raises(v):
    try:
        _looked_up(v)
    except ValueError:
        return False
    else:
        return True


CASES = [
    titled("only whether it raises", only_whether_it_raises, (TABLE[1],), (TABLE[0] * 2 + 5,)),
    titled("raise in a branch", raise_in_branch, *SCALARS),
    titled("raise in both branches", raise_in_both_branches, *SCALARS),
    titled("raise of a chosen class", raise_class_of_choice, *SCALARS),
    titled("raise of what a function made", raise_what_a_function_made, *SCALARS),
    titled("raise of an item", raise_of_an_item, *[(np.zeros(2), *x) for x in SCALARS]),
    titled("raise from a choice", raise_from_a_choice, *SCALARS),
    titled("raise of what is no exception", raise_of_no_exception, *SCALARS),
    titled("raise of what was caught", raise_later, *SCALARS),
    titled("raise in both branches after a change", raise_in_both_after_a_change,
        *[([], *x) for x in SCALARS]),
    titled("raise in a loop", raise_in_loop, *NUMBERS, (np.int64(500),)),
    titled("raise in the else of a while", raise_in_while_else, *NUMBERS, (np.int64(6),)),
    titled("assert, any message", assert_of_every_message,
        *[(*x, k) for x in SCALARS for k in range(4)]),
    titled("assert in a loop", assert_in_loop, *VECTORS),
    titled("assert of several", assert_of_several, *VECTORS, (np.array([9.0, 1.0, 1.0]),)),
    titled("try, except", try_except, *SCALARS),
    titled("except, as", except_as, *SCALARS),
    titled("except, several and else", except_tuple_and_order, *SCALARS),
    titled("try in a loop", try_in_loop, *VECTORS),
    titled("try around a loop", try_around_loop, *VECTORS),
    titled("what was done before the exception stays", half_done, *VECTORS),
    titled("except IndexError", index_errors,
        *[(np.arange(3.0), np.int64(i)) for i in (0, 2, 3, -3, -4)]),
    titled("except LinAlgError", numpy_raises, (np.eye(2),), (np.zeros((2, 2)),)),
    titled("except ZeroDivisionError", integer_division, *NUMBERS),
    titled("raise again", reraise, *SCALARS, (np.float64(-20.0),)),
    titled("raise from", raise_another, *SCALARS),
    titled("finally counts", finally_counts, *[([], *x) for x in SCALARS]),
    titled("finally in a loop", finally_of_a_loop, *[([], *x) for x in VECTORS]),
    titled("return in finally", finally_returns, *SCALARS),
    titled("finally restores", finally_restores, *[({"scale": 1.0}, *x) for x in SCALARS]),
    titled("try in try", nested_try, *[([], *x) for x in SCALARS]),
    titled("else that raises", else_raises, *[([], *x) for x in SCALARS]),
    titled("except*", except_star, *SCALARS),
    titled("with that swallows", with_swallows, *SCALARS),
    titled("with that does not swallow", with_does_not_swallow, *SCALARS),
    titled("with suppress", with_suppress, *SCALARS),
    titled("with of two", with_two, *SCALARS),
    titled("with of a generator", with_generator, *[([], *x) for x in SCALARS]),
    titled("with ExitStack", with_exit_stack, *[([], *x) for x in SCALARS]),
    titled("return through everything", return_through_everything, *[([], *x) for x in VECTORS]),
    titled("unpacking that may fail", errors_of_iteration, *VECTORS),
    titled("except KeyError", key_error, *SCALARS),
    titled("exceptions with attributes", error_with_attributes, *SCALARS),
]
