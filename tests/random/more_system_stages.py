"""More stages of `system_programs`, written as those of `system_stages`."""

MORE_STAGES = (
    # functools, operator, collections
    """
NEW = partial(max, INT)
r.append(NEW(1, NUM))
r.append(reduce(lambda m, v: m * 2 + v if v > NUM else m, LIST, INT))
r.append(fib(INT + 2))
""",
    """
NEW = traced(WRLD.log)(lambda v, k=1: v + k if TEST else k)
r.append([NEW(NUM), NEW(INT, k=3)])
""",
    """
NEW = Counter(["x", "yz"[INT % 2], "x"])
NEW[INT] += 2
NEW.subtract({"x": INT})
r.append((NEW.most_common(1), +NEW, sum(NEW.values())))
""",
    """
NEW = defaultdict(list, {0: [1]})
for k in ks:
    NEW[int(k) % 3].append(NUM)
if TEST:
    NEW[7]
r.append({k: len(v) for k, v in NEW.items()})
""",
    """
NEW = ChainMap({}, WRLD.table, {"z": 9})
NEW["new"] = NUM
if TEST:
    NEW.maps[1]["a"] = INT
r.append((NEW["a"], NEW.get("z"), "new" in WRLD.table))
""",
    """
NEW = Chain(ab=1, a=NUM)
try:
    r.append((NEW["abc"], NEW[["ad", "q"][INT % 2]]))
except KeyError as e:
    r.append(e.args)
""",
    """
NEW = sorted([Version(INT, 1), Version(1, INT), Version(2)], reverse=TEST)
r.append([(v.major, v.minor) for v in NEW])
r.append(max(NEW) >= NEW[0])
""",
    """
NEW = Registered.kinds[INT % 2]()
r.append(NEW.cost(NUM))
if TEST:
    r.append(NEW.cost(1) + getattr(NEW, "calls", 0))
r.append(isinstance(NEW, Dear))
""",
    """
NEW = Level(INT % 3)
WRLD.last = NEW
r.append((NEW.name, NEW + 1, NEW is Level.MID, NEW > NUM))
""",
    """
NEW = Pair(NUM, Row(INT, 1))
NEW = NEW.swapped() if TEST else replace(NEW, one=Row("k"))
match NEW:
    case Pair(Row(k, v), w):
        r.append(("row", k, v, w))
    case Pair(one, Row(key=k)) if k > 1:
        r.append(("other", one, k))
    case Pair():
        r.append("pair")
""",
    """
NEW = [("push", [NUM]), ("pop", []), ("add", [1, INT]), ("say", "text")][INT :: 1]
for e in NEW:
    match e:
        case ("push", [v]):
            WRLD.items.append(v)
        case ("pop", []) if WRLD.items:
            r.append(WRLD.items.pop())
        case ("add", [v, *more]):
            r.append(v + sum(more))
        case (name, str(text)):
            r.append(name + text)
del WRLD.items[:-6]
""",
    """
NEW = operator.itemgetter(0, -1)(LIST + [NUM, 1])
r.append(NEW)
r.append(operator.attrgetter("account.balance")(WRLD))
r.append(operator.methodcaller("index", 2)([1, 2, INT]))
""",
    """
NEW = V.set(NUM)
r.append(V.get())
if TEST:
    V.set(INT)
r.append(V.get())
V.reset(NEW)
""",
    """
NEW = weakref.ref(WRLD.account)
if TEST:
    NEW().fees += 1
r.append((NEW() is WRLD.account, NEW().fees))
""",
    """
r.append(told(WRLD.table.get(["a", "b"][INT % 2])))
r.append(told(WRLD.items if TEST else "text"))
""",
    # aliases, in-place, closures
    """
NEW = WRLD.items
NEW += [INT]
if TEST:
    NEW = NEW + [1]
NEW *= 2
del NEW[4:]
r.append(NEW is WRLD.items)
""",
    """
NEW = ARR
NEW += NUM
if TEST:
    NEW = NEW * 2
NEW[-1] -= INT
WRLD.arr = NEW[::-1]
r.append(NEW)
""",
    """
WRLD.arr[1:] = ARR[:2]
WRLD.arr[WRLD.arr > NUM] = INT
NEW = WRLD.arr.copy()
NEW[0], NEW[1] = NEW[1], NEW[0]
r.append((NEW.sum(), WRLD.arr.argmax()))
""",
    """
def NEW():
    count = INT
    def step(k):
        nonlocal count
        count += k
        def back():
            nonlocal count
            count -= 1
            return count
        return back
    return step, lambda: count
step, look = NEW()
undo = step(NUM)
if TEST:
    undo()
r.append(look())
""",
    """
def NEW(v):
    try:
        if v > NUM:
            return "early"
        v += 1
        if TEST:
            raise Fault(v)
    except Fault:
        v = -1
        return v
    finally:
        WRLD.log.append(v)
        del WRLD.log[:-8]
    return "late"
r.append([NEW(INT), NEW(2)])
""",
    """
def NEW(items):
    for v in items:
        try:
            if v > NUM:
                continue
            if v == INT:
                break
            yield v
        finally:
            WRLD.seen.add(int(v) % 7)
    else:
        yield "end"
r.append(list(NEW(LIST)))
""",
    """
NEW = {k: v for k, v in zip("abc", LIST) if v > NUM}
WRLD.table |= NEW
NEW = {**NEW, "n": INT, **({"t": 1} if TEST else {})}
r.append((list(NEW), [*WRLD.table][:3]))
for k in [k for k in WRLD.table if k not in "ab"]:
    del WRLD.table[k]
WRLD.table.setdefault("a", 1)
""",
    """
first, *NEW = [INT, *LIST, NUM]
*begin, last = NEW
r.append((first, begin, last))
if (n := len(begin)) > INT and TEST:
    r.append(n)
""",
    """
NEW = [WRLD.items.append, WRLD.seen.add, lambda v: WRLD.log.append(-v)]
NEW[INT % 3](INT)
for act in NEW[:2] if TEST else NEW[2:]:
    act(INT + 1)
del WRLD.items[:-6]
del WRLD.log[:-8]
""",
    """
NEW = copy.deepcopy(WRLD.account) if TEST else copy.copy(WRLD.account)
NEW.history.append(NUM)
NEW._balance = INT
r.append((len(WRLD.account.history) == len(NEW.history), WRLD.account.balance))
del WRLD.account.history[:-5]
""",
    """
try:
    NEW = [1, 2, 3][INT + int(TEST)]
    NEW = 6 / (NEW - 2)
except (IndexError, ZeroDivisionError) as e:
    NEW = type(e).__name__
    try:
        raise Deep(NUM) from e
    except Fault as d:
        r.append((type(d).__name__, d.__cause__ is e, str(d)))
r.append(NEW)
""",
    """
NEW = 0
while True:
    NEW += 1
    if NEW > INT + 1:
        break
    if ks[NEW % 5] % 2:
        continue
    WRLD.items[NEW % len(WRLD.items) if WRLD.items else 0:][:1] = [NUM]
    r.append(NEW)
else:
    r.append("never")
""",
    """
NEW = np.array([(INT, 1.0), (2, NUM)], dtype=[("k", "i8"), ("v", "f8")])
NEW["v"][NEW["k"] > 1] += INT
r.append((NEW["v"].sum(), NEW[0]["k"]))
""",
    """
NEW = bytearray(b"abc")
NEW[INT % 3] = 65 + INT
NEW.extend(bytes([INT, 66]))
r.append((bytes(NEW), NEW.find(b"B"), NEW[::-1].decode("latin1")))
""",
    """
NEW = types.SimpleNamespace(n=NUM, more=WRLD.items)
setattr(NEW, ["n", "k"][INT % 2], INT)
if TEST:
    NEW.more = [NEW.n]
r.append((NEW.n, hasattr(NEW, "k"), NEW.more is WRLD.items))
""",
    """
NEW = iter(LIST + [INT])
for v in NEW:
    if v > NUM:
        r.append(("found", v, next(NEW, "none")))
        break
r.append(list(NEW))
""",
    """
assert NUM < 40, "too much"
if TEST and INT > 1:
    raise Deep(INT)
""",
    """
NEW = "".join(chr(97 + int(k) % 26) for k in ks[: INT + 1])
r.append((NEW, NEW.translate({97: "A"}), re.sub("[b-f]", lambda m: m[0].upper(), NEW)))
r.append(string.Template("$n is $v").substitute(n=NEW, v=INT))
""",
    """
for i, (k, v) in enumerate(sorted(WRLD.table.items(), key=lambda kv: str(kv[0]))):
    if isinstance(v, list):
        v.append(NUM)
        del v[:-3]
    elif TEST:
        WRLD.table[k] = i
""",
    """
NEW = lambda n: 1 if n < 1 else NEW(n - 1) + NEW(n - 2) + INT
r.append(NEW(INT))
""",
    """
w.last, u.last = NUM, w.last
NEW = w if TEST else u
NEW.items = LIST
NEW.items.append(INT)
del NEW.items[:-6]
r.append((w.items is u.items, NEW is u))
""",
)
