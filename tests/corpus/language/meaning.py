"""Programs whose meaning is easily lost: each is run plainly and converted, on several inputs."""

from tests.corpus.language.meaning_found import FOUND

GUARD = '''
class Guard:
    def __init__(self, log, swallow, boom=False):
        self.log, self.swallow, self.boom = log, swallow, boom
    def __enter__(self): return self
    def __exit__(self, *a):
        self.log.append(('exit', a[0] and a[0].__name__))
        if self.boom: raise KeyError('boom')
        return self.swallow
'''

PROGRAMS = {
    "late_binding": """
def f(log, n):
    fs = []
    for i in range(n):
        fs.append(lambda: i)
    return [f() for f in fs]
""",
    "return_in_try_with_else": """
def f(log, x):
    try:
        if x:
            return 1
    except ValueError:
        pass
    else:
        return 2
""",
    "continue_in_try_with_else": """
def f(log, n):
    s = 0
    for i in range(n):
        try:
            if i % 2:
                continue
            s += 1
        except ValueError:
            pass
        else:
            s += 10
    return s
""",
    "return_in_finally": """
def f(log, n):
    try:
        raise ValueError
    finally:
        return n
""",
    "global_in_branch_and_loop": """
FLAG = 0
def f(log, c):
    global FLAG
    FLAG = 0
    if c:
        FLAG = 1
    while FLAG < c:
        FLAG += 1
    return FLAG
""",
    "chain_evaluates_once": """
def f(log, n):
    def m():
        log.append('m')
        return n
    return 0 < m() < 10, 0 < n < 3
""",
    "annotations": """
def f(log, n):
    x: int
    if n:
        x: int = 3
    return x
""",
    "unbound_on_some_path": """
def f(log, n):
    if n > 1:
        y = n
    log.append(n)
    if n > 2:
        log.append(y)
    return y
""",
    "break_return_continue_else": """
def f(log, n):
    t = 0
    for i in range(n):
        for j in range(n):
            if j == 2:
                break
            if i == 3:
                return ('r', i, j)
            t += j
        else:
            t += 100
            continue
        t += 1000
    else:
        return ('e', t)
    return t
""",
    "state_in_handlers": """
def f(log, n):
    x = 0
    try:
        for i in range(n):
            x = i
            if i == 3:
                raise KeyError(i)
            if i == 5: return 'five'
    except KeyError as e:
        log.append(('caught', x, e.args))
    finally:
        log.append(('fin', x))
    return x
""",
    "walrus_in_while": """
def f(log, n):
    while (y := n - 1) > 0:
        n = y
        if n == 3: break
        if n == 7: continue
        log.append(n)
    else:
        log.append('else')
    return y, n
""",
    "deletion_in_branch": """
def f(log, n):
    if n:
        del n
    return n
""",
    "name_of_except": """
def f(log, n):
    e = 5
    if n:
        try:
            if n > 1: raise ValueError('x')
        except ValueError as e:
            log.append(str(e))
    return e
""",
    "recursion_in_inner_function": """
def f(log, n):
    def fact(k):
        if k <= 1:
            return 1
        return k * fact(k - 1)
    return fact(n + 1)
""",
    "nonlocal_changes_test": """
def f(log, n):
    count = 0
    def inc():
        nonlocal count
        count += 1
        return count
    while count < n:
        if inc() == 4:
            count = 10
    return count
""",
    "match_cases": """
def f(log, n):
    match n:
        case 0:
            return 'zero'
        case 1 | 2:
            r = 'small'
        case int(k) if k > 5:
            for q in range(k):
                if q == 3: break
            r = q
        case _:
            r = 'other'
    return r
""",
    "break_through_failing_finally": """
def f(log, n):
    for i in range(3):
        try:
            try:
                if n: break
            finally:
                log.append('f')
                if n > 1: raise ValueError
        except ValueError:
            log.append('v')
        log.append(i)
    return i
""",
    "jumps_through_failing_exit": """
def f(log, n):
    for i in range(3):
        with Guard(log, True):
            with Guard(log, False, n == 1):
                if n == 1: break
                if n == 2: return 'two'
                if n == 3: continue
            log.append('in')
        log.append(i)
    return i
""",
    "with_swallows": """
def f(log, n):
    x = n
    with Guard(log, True):
        while x < 10:
            x += 1
            if x == 5: raise ValueError
    return x
""",
    "expressions": """
def f(log, n):
    r = [(a, b) for a in range(n) if a % 2 or a > 2 for b in range(a) if not b]
    return r, n in [1, 2], n not in (1, 2), n is None, (n if n > 1 else -n), (n and log), (n or 'z')
""",
    "classes_and_super": """
def f(log, n):
    class A:
        def f(self):
            if n > 2:
                return 'A'
            return 'a'
    class B(A):
        k = n if n else 3
        if n: z = 1
        def f(self):
            if n > 1:
                return super().f() + 'B'
            return super().f() + 'b'
        def __priv(self): return 7
        def g(self):
            return self.__priv() if n else 0
    return B().f(), B().g(), B.k
""",
    "imports": """
def f(log, n):
    if n:
        import os.path as p, math
        from math import pi
        def g(): return pi
        return p.join('a', 'b'), math.floor(g())
    else:
        class K: pass
    return K.__name__
""",
    "endless_loop_with_handlers": """
def f(log, n):
    while True:
        n += 1
        if n > 5: return n
        try:
            if n == 4: raise ValueError
        except ValueError:
            continue
        finally:
            log.append(n)
""",
    "targets": """
def f(log, n):
    a, *b = range(n + 1)
    for a, (c, *d) in [(1, (2, 3, 4)), (5, (6,))]:
        log.append((a, c, d))
    for log[0], x in [(1, 2)]: pass
    return a, b, c, d, x
""",
    "inner_generators": """
def f(log, n):
    def gen():
        for i in range(n):
            if i == 2: continue
            yield i
    s = 0
    for v in gen():
        s += v
    return s, list(x + s for x in gen())
""",
    "deleted_target": """
def f(log, n):
    for i in range(n):
        if i == 1:
            del i
            continue
        log.append(i)
    return i
""",
    "locals_of_the_frame": """
def f(log, n):
    if n:
        return sorted(locals())
    z = 1
    while z < 3: z += 1
    return sorted(locals())
""",
    "generator_expression_is_late": """
def f(log, n):
    g = (x * k for x in range(n))
    for k in range(3): pass
    return list(g)
""",
    "break_in_finally": """
def f(log, n):
    for i in range(n):
        for j in range(n):
            try:
                if j == 1: return ('a', i)
            finally:
                log.append((i, j))
                if i == 0: break
        else:
            return 'else'
        if i == 2: return 'two'
    return None
""",
    "early_exits": """
def f(log, n):
    if n == 1: return
    if n == 2:
        if log: return 5
        x = 3
    elif n == 3:
        raise KeyError('k')
    else:
        x = 4
    log.append(x)
    try:
        return x
    finally:
        log.append('f')
""",
    "raise_in_else": """
def f(log, n):
    if n > 3:
        x = 1
    else:
        raise ValueError(n)
    assert x, 'msg'
    return x
""",
    "return_in_try": """
def f(log, n):
    try:
        return [1, 2][n]
    except IndexError:
        pass
    if n > 2: return 'big'
    return 'small'
""",
    "shared_cell": """
def f(log, n):
    x = 0
    f = lambda: x
    if n: x = 1
    def g():
        nonlocal x
        x += 5
    while x < n * 3:
        g()
        x = x + 1
    log.append(f())
    del x
    if n > 2: return f()
    x = 7
    return f()
""",
    "target_after_empty_loop": """
def f(log, n):
    s = 0
    i = 10
    for i in range(n): s += i
    return i, s
""",
    "swap_in_loop": """
def f(log, n):
    x = y = 0
    while x < n:
        x, y = x + 1, x
        if y == 2: continue
        y += 1
    return x, y
""",
    "item_assignment": """
def f(log, n):
    d = {}
    for k in 'abc':
        d[k] = d.get(k, 0) + n
        d['a'] += 1
    return d
""",
    "while_else": """
def f(log, n):
    while n:
        n -= 1
        if n == 2:
            return 'x'
    else:
        return 'else'
""",
    "walrus_in_if": """
def f(log, n):
    if (m := n + 1) > 2 and (k := m + 1):
        return m, k
    return m
""",
    "dead_names": """
def f(log, n):
    t = 1
    if n > 1:
        t = 2
        print_ = log.append
        print_(t)
    if n > 2:
        u = t
        u += 1
        log.append(u)
    for q in range(2):
        w = q
    return t
""",
    "half_done_update": """
def f(log, n):
    try:
        x = 1
        if n:
            x = 2
            raise ValueError
        x = 3
    except ValueError:
        return x
    return x
""",
    "comprehension_named_like_an_outer_variable": """
def f(log, n):
    b = 7
    def g(c):
        d = [b for b in range(c)]
        return d and b, (lambda: b)()
    if n > 1:
        a = [b for b in range(n)]
        log.append((a, lambda: b))
        log.append(log.pop()[1]())
    return g(n), b
""",
    **FOUND,
}
