"""The stages of `system_programs`: what a program does with its systems, as text.

In these, NUM is a number, INT a small one, TEST a condition, WRLD a world, LIST a list of numbers,
ARR an array; each occurrence is drawn anew. NEW is a name, the same one in all of a stage.
"""

STAGES = (
    # parsers, text
    """
NEW = Cursor(["12+3", "7-x", "40"][INT % 3])
try:
    r.append(NEW.sum())
    if NEW.peek():
        raise Deep(NEW.at)
except Deep as e:
    r.append(("deep", e.code))
except Fault as e:
    r.append(("fault", e.code, e.args))
else:
    r.append("all")
""",
    """
NEW = Cursor("1+2+34")
with NEW.attempt() as t:
    t.number()
    if TEST:
        raise Fault(NUM)
    t.next()
r.append((NEW.at, NEW.back, NEW.peek()))
""",
    """
NEW = []
for c in "a(b)c)"[: INT + 3]:
    match c:
        case "(":
            NEW.append([])
        case ")" if NEW:
            r.append(len(NEW.pop()))
        case ")":
            r.append("unmatched")
            break
        case str() if TEST:
            NEW.append([c])
        case _:
            pass
else:
    r.append("closed" if not NEW else "open")
""",
    """
out.write(f"{NUM:.2f}|{INT:03d}|")
out.write(", ".join(str(v) for v in LIST))
if TEST:
    print("staged", NUM, file=out, sep=":")
""",
    """
NEW = "%s-%d" % ("abc"[INT % 3], INT)
r.append(NEW.upper() if TEST else NEW[::-1])
WRLD.table[NEW[0]] = NEW.partition("-")[2]
""",
    # accounts, properties, descriptors
    """
try:
    WRLD.account.balance -= NUM
    WRLD.account.take(INT).move(NUM)
except Fault as e:
    WRLD.account.history.append(type(e).__name__)
    r.append(e.args[-1])
finally:
    WRLD.log.append(WRLD.account.balance)
    del WRLD.log[:-8]
""",
    """
try:
    WRLD.account.limit = NUM
except Fault as e:
    WRLD.last = e.code
    if TEST:
        raise
r.append(WRLD.account.limit + Account.rate(NUM))
""",
    """
NEW = Account.with_fee(NUM)
if TEST:
    NEW.fees += 1
    WRLD.account, NEW = NEW, WRLD.account
r.append((NEW.fees, NEW.balance, NEW is WRLD.account))
""",
    """
if TEST:
    r.append(WRLD.account.code)
r.append("code" in vars(WRLD.account))
WRLD.account.__dict__.pop("code", None)
""",
    # caches, queues, heaps, sets
    """
for NEW in (INT, 1, INT):
    if NEW in WRLD.lru:
        r.append(WRLD.lru[NEW])
    else:
        WRLD.lru[NEW] = NUM
r.append(list(WRLD.lru.data))
""",
    """
WRLD.queue.at(NUM, WRLD.items.append, INT)
if TEST:
    WRLD.queue.at(1, WRLD.queue.at, 2, len, WRLD.items)
WRLD.queue.run(INT)
del WRLD.items[:-6]
del WRLD.queue.heap[4:]
r.append((WRLD.queue.now, WRLD.queue.done))
""",
    """
for NEW, other in zip(ks, reversed(range(5))):
    if NEW % 2 == 0 and TEST:
        WRLD.sets.join(int(NEW) % 5, other)
r.append([WRLD.sets.find(i) for i in range(5)])
""",
    """
NEW = [(NUM, "x"), (INT, "y"), (2, "z")]
heapq.heapify(NEW)
heapq.heappush(NEW, (NUM, "w"))
r.append([heapq.heappop(NEW)[1] for _ in range(INT + 1)])
r.append(heapq.nlargest(2, NEW))
""",
    """
bisect.insort(WRLD.items, NUM)
NEW = bisect.bisect_left(WRLD.items, INT)
WRLD.items.insert(NEW, INT)
del WRLD.items[6:]
r.append(NEW)
""",
    """
NEW = set(LIST) ^ {INT, 2}
NEW |= WRLD.seen
if TEST:
    WRLD.seen -= {INT}
    NEW &= {1, 2, 3}
WRLD.seen.add(INT % 5)
r.append((sorted(NEW), 2 in WRLD.seen))
""",
    """
q.extend(LIST)
q.rotate(INT)
if q and TEST:
    q.appendleft(q.pop())
    q[0] += NUM
r.append((list(q), q.maxlen, q.count(2)))
""",
    # undo, graphs, trees
    """
WRLD.editor.do(["insert", "scale"][INT % 2], INT)
if TEST:
    WRLD.editor.do("insert", NUM)
    WRLD.editor.undo()
while len(WRLD.editor.undos) > INT:
    WRLD.editor.undo()
r.append((WRLD.editor.items, WRLD.editor.redos))
del WRLD.editor.redos[:-3]
""",
    """
try:
    WRLD.editor.do("drop", INT)
except IndexError as e:
    r.append(str(e))
    WRLD.editor.do("insert", 4)
""",
    """
WRLD.graph[INT % 5] = [int(k) % 5 for k in ks[:2] if k > NUM]
NEW, order = set(), []
depth_first(WRLD.graph, INT % 5, NEW, order)
r.append((order, breadth_first(WRLD.graph, 4)))
""",
    """
NEW = Node(NUM, [Node(INT)])
if TEST:
    WRLD.tree.kids.append(NEW)
    NEW.kids[0].value += 1
del WRLD.tree.kids[:-3]
r.append([n.value for n in WRLD.tree.walk() if n.mark])
r.append(WRLD.tree.total())
""",
    """
def NEW(node, depth=0):
    if node.value > NUM:
        node.mark = not node.mark
        found.append((depth, node.value))
    for kid in node.kids:
        NEW(kid, depth + 1)
found = []
NEW(WRLD.tree)
r.append(found)
""",
    # generators, context managers
    """
NEW = averages()
next(NEW)
r.append(NEW.send(NUM))
if TEST:
    r.append(NEW.send(INT))
try:
    NEW.send(None)
except StopIteration as e:
    r.append(("count", e.value))
""",
    """
for NEW in chunks((v * 2 for v in LIST if v > NUM), 2):
    if len(NEW) < 2:
        continue
    WRLD.log.append(sum(NEW))
    if TEST:
        break
del WRLD.log[:-8]
""",
    """
with ExitStack() as stack:
    stack.callback(WRLD.log.append, "closed")
    NEW = stack.enter_context(Scope(WRLD.log, (Fault,)))
    if TEST:
        stack.callback(WRLD.seen.discard, INT)
        raise Fault(NUM)
    r.append(NEW.depth)
del WRLD.log[:-8]
""",
    """
with suppress(KeyError, ZeroDivisionError), Scope(WRLD.log):
    r.append(WRLD.table[["a", "none"][INT % 2]])
    r.append(10 // INT)
    WRLD.table["done"] = NUM
""",
    """
NEW = itertools.takewhile(lambda v: v < NUM, LIST)
r.append(list(map(operator.add, NEW, itertools.count(INT))))
r.append([list(g) for _, g in itertools.groupby(sorted(LIST), key=lambda v: v > INT)])
""",
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
