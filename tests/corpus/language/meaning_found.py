"""Programs whose meaning was lost once: what CPython's own tests and random programs
have found."""

FOUND = {
    "frames_are_counted": """
import sys, inspect, warnings
def who(depth):
    return sys._getframe(depth).f_code.co_name
def f(log, n):
    if n:
        log.append(sys._getframe(1).f_code.co_name)
        log.append(inspect.currentframe().f_code.co_name)
    while n > 3 and inspect.currentframe().f_code.co_name == 'f':
        n -= 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        if n > 1:
            warnings.warn('x', stacklevel=2)
            warnings.warn('y', UserWarning, 1)
        log.append([(w.filename.rpartition('/')[2], w.category.__name__) for w in caught])
    return who(1)
""",
    "message_of_an_assert_that_reads_an_unbound_name": """
def f(log, n):
    if n > 5: later = n
    assert n > 2, later
    later = 1
    return later
""",
    "except_star_before_finally_that_returns": """
def f(log, n):
    try:
        if n == 1: return log.append('early')
        if n == 2: raise KeyError(n)
        if n == 3: raise ValueError(n)
    except* KeyError as group:
        log.append(len(group.exceptions))
    finally:
        return 'finally'
    log.append('not reached')
""",
    "except_star_that_ends_a_function": """
def f(log, n):
    if n > 1:
        try:
            if n == 2: return 'body'
            raise KeyError(n)
        except* KeyError as group:
            log.append(repr(group.exceptions))
    else:
        return n
""",
    "long_chains": """
def f(log, n):
    y = 10
    if n == 0: y += 1
    elif n == 1: log.append(y)
    elif n == 2: z = y
    elif n == 3: y, z = y + 1, 5
    elif n == 4 or log: pass
    elif n == 5 and (k := n): y = k
    elif n == 6:
        if n < 0: return 1
        elif n < 1: return 2
        elif n < 2: return 3
        elif n < 3: return 4
        elif n < 4: return 5
        else: y -= n
    else: raise ValueError(n)
    if y == 11: return 'a'
    if y == 12: return 'b'
    if y == 5: return 'c'
    if y == 4: return z
    y += 1
    if y == 13: return z
    if y == 11: return n
""",
    "long_comparison_chains": """
def f(log, n):
    def note(x):
        log.append(x)
        return x
    late = lambda: 1 < note(n) < note(4) < 9
    return note(0) < note(n) < note(3) < note(n + 2) != note(5), late()
""",
    "guards_that_bind_the_subject": """
def f(log, n):
    x = n
    match x:
        case 0 if not (x := 1): y = 0
        case 1: y = 1
        case (0 as z): y = z + 2
        case _ if x > 2: y = 3
    return x, y
""",
    "qualified_names": """
def f(log, n):
    global Outer
    class Outer:
        def m(self): pass
    class Inner:
        def m(self):
            return lambda: n
    return (Outer.__qualname__, Outer.m.__qualname__, Inner.__qualname__,
            getattr(Inner().m(), '__qualname__', None))
""",
}
