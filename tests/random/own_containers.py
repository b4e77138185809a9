"""Containers of the user's that count and log what is done to them: each class with each use."""

from itertools import product

CLASSES: dict[str, str] = {
    "missing": """class K(dict):
    def __missing__(self, k):
        self.n += 1
        self.log.append(k)
        return 7.0""",
    "getitem": """class K(dict):
    def __getitem__(self, k):
        self.n += 1
        self.log.append(k)
        return dict.get(self, k, 0.5)""",
    "setitem": """class K(dict):
    def __setitem__(self, k, v):
        self.n += 1
        self.log.append(k)
        super().__setitem__(k, v)
    def __missing__(self, k): return 1.0""",
    "contains": """class K(dict):
    def __contains__(self, k):
        self.n += 1
        self.log.append(k)
        return super().__contains__(k)
    def __missing__(self, k): return 1.0""",
    "len": """class K(dict):
    def __len__(self):
        self.n += 1
        self.log.append('len')
        return super().__len__()
    def __missing__(self, k): return 1.0""",
    "list": """class K(list):
    def __getitem__(self, i):
        self.n += 1
        self.log.append(i)
        return list.__getitem__(self, i % len(self)) if len(self) else 2.5
    def __setitem__(self, i, v):
        self.n += 1
        if len(self): list.__setitem__(self, i % len(self), v)
        else: self.append(v)""",
    "globallog": """class K(dict):
    def __missing__(self, k):
        LOG.append(k)
        return 7.0""",
    "class_n": """class K(dict):
    total = 0
    def __missing__(self, k):
        K.total += 1
        return 7.0""",
}

USES: dict[str, str] = {
    "read": """    return c[int(a)]""",
    "readn": """    r = c[int(a)]
    return r, c.n, len(log)""",
    "branch": """    r = 0.0
    if a > 1: r = c[int(b)]
    return r, c.n""",
    "set": """    c[int(a)] = b
    return c.n, c.get(0) if isinstance(c, dict) else None""",
    "both": """    x = c[0]
    y = c[int(a)]
    z = c[0]
    return x, y, z, c.n, log[-1] if log else None""",
    "two": """    x = c[int(a)]
    y = d[0]
    return x, y, c.n, d.n, len(log)""",
    "loop": """    s = 0.0
    for i in range(int(b) + 2):
        s = s + c[i % 2]
        c[i] = s
    return s, c.n""",
    "chosen": """    k = c if a > 1 else d
    k[0] = b
    return k[1], c.n, d.n, len(log)""",
    "attr": """    c.n = a
    x = c[int(b)]
    return x, c.n""",
    "logset": """    log.append(9)
    x = c[int(a)]
    log.append(8)
    return x, len(log), c.n""",
    "store": """    box = [c, d][int(a > 1)]
    box[int(b)] = a
    return c.n, d.n, len(c), len(d)""",
    "globc": """    x = c[int(a)]
    y = d[0]
    LOG.append(x)
    return len(LOG), y""",
    "in": """    r = int(a) in c
    return r, c.n""",
    "len": """    if a > 1: c[5] = a
    return len(c), c.n""",
}

TEXT = """
LOG = []

CLASS

def make():
    log = []
    c, d = K(), K()
    for k in (c, d):
        k.n, k.log = 0, log
    return c, d, log

def kept():
    return list(LOG), getattr(K, "total", None)

def f(a, b, c, d, log):
USE
"""

PROGRAMS = list(product(CLASSES, USES))


def source(kind: str, use: str) -> str:
    """A module with `f(a, b, c, d, log)`, what makes its arguments, and what it keeps."""
    return TEXT.replace("CLASS", CLASSES[kind]).replace("USE", USES[use])
