"""The stages of `system_programs`: what a program does with its systems, as text. Those with
`functools`, `collections`, aliases and closures are in `more_system_stages`.

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
)
