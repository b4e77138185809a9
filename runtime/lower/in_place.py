"""In-place analysis: which functional updates may work in their input's own memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Nest,
    Value,
    graphs_in,
    regions_of,
)
from autograph.runtime.ir.regions import Call, Loop, as_branch, as_call, as_loop, is_call
from autograph.runtime.ir.types import ArrayType, may_have_memory
from autograph.runtime.lower.births import Birth, Births, Carried, Path, inside
from autograph.runtime.lower.fusion_groups import fusion_groups
from autograph.runtime.lower.known_lists import is_number, known_lists
from autograph.runtime.lower.list_methods import ListMethod, changed_list, list_methods
from autograph.runtime.lower.live_values import LiveValues
from autograph.runtime.lower.memory_orders import Orders, memory_orders
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.pushes import OwnLists, Push
from autograph.runtime.lower.shared_memory import held_by, is_about_memory, is_view
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.kept_values import PUSH
from autograph.runtime.references.written import written_by

EMPTY: Mapping[Value, Atom] = {}


def plan_inplace(graph: Graph, own: Mapping[Value, Atom] = EMPTY) -> Plan:
    """Decides for every update of the graph. `own`: inputs that the caller wants written, and with
    what.

    An update of x may run in place if nothing that may share memory with x is used afterwards, and
    the memory is neither an argument's (but for `own`), nor a captured array's, nor read-only.
    Where the graph stores into arrays itself, an array that a loop carries is the user's own.
    """
    graphs = graphs_in(graph)
    callees = _Callees(graphs[1:], graph.by_reference, list_methods(graph), known_lists(graphs))
    if callees.aliases:
        callees.settle()
    orders = Orders() if graph.by_reference else memory_orders(graph)
    while True:
        plan = Plan(orders=orders, methods=callees.methods)
        grew = False
        for each in graphs:
            mine = own if each is graph else dict.fromkeys(each.inputs)
            grew |= callees.overwrites(each, _plan(plan, each, mine, callees))
        if not grew:
            return plan


def _plan(plan: Plan, graph: Graph, own: Mapping[Value, Atom], callees: _Callees
          ) -> frozenset[int]:
    """Decides for one graph; returns the indices of its inputs that are overwritten."""
    info = _Info(graph, callees, own)
    foreign = {info.root(v) for v in (set(graph.inputs) - own.keys()) | set(graph.captures)
               | info.unwritable}
    touched = set()
    within: set[Carried] = set()
    kept = OwnLists(info, [Push(u.equation, u.path, u.loop) for u in info.updates
                            if u.equation.op is PUSH], info.loops, info.is_used_after)
    plan.inplace |= kept.pushes
    plan.owned |= kept.carried
    for update in info.updates:
        if update.equation in kept.pushes:
            continue
        x, e, index = update.overwritten, update.equation, update.argument
        if (lists := info.lists_of(e)) is not None:
            x = lists[0]
        new = info.new_list_of(x) if lists is not None else None
        if new is not None and info.allows(
                update, x, frozenset(), Birth(info.new_lists[new][1])):
            plan.owned.add(new)
            plan.copied.add(info.new_lists[new][0])
            plan.inplace.add(e)
            continue
        birth = info.birth(update, x)
        allowed = isinstance(x, Value) and info.allows(update, x, foreign, birth)
        if allowed and birth is None:
            touched.add(info.root(x))
        elif allowed and birth is not None:
            within.update(birth.loops[:1])
        if update.carried is not None:
            if allowed and e not in plan.orders.mixed:
                plan.sums[e] = update.carried
        elif index is not None:
            (plan.handed if allowed else plan.copied).add((e, index))
        elif allowed:
            plan.inplace.add(e)
    _settle_loops(plan, info, foreign, touched, within)
    plan.shared.update(v for members in info.members.values() for v in members)
    return frozenset(i for i, v in enumerate(graph.inputs) if info.root(v) in touched)


class _Callees:
    """The facts of called graphs that their callers need.

    aliases      for each, numbers of its inputs and outputs; equal ones may share memory.
    overwritten  for each, the indices of the inputs that it overwrites.
    by_reference  whether equations store into arrays.
    methods      the methods of lists, of all graphs.
    lists        the values of all graphs that are certainly lists.
    """

    def __init__(self, graphs: list[Graph], by_reference: bool,
                 methods: dict[Equation, ListMethod], lists: frozenset[Value]) -> None:
        self.by_reference, self.methods, self.lists = by_reference, methods, lists
        self.aliases = {g: tuple(range(len(g.inputs) + len(g.outputs))) for g in graphs}
        self.overwritten: dict[Graph, frozenset[int]] = {g: frozenset() for g in graphs}

    def settle(self) -> None:
        """Finds the aliases, which depend on each other, to a fixed point."""
        before = None
        while before != self.aliases:
            before = dict(self.aliases)
            for graph in before:
                info = _Info(graph, self)
                roots = [info.root(x) if isinstance(x, Value) else object()
                         for x in (*graph.inputs, *graph.outputs)]
                numbers: dict[object, int] = {}
                self.aliases[graph] = tuple(numbers.setdefault(r, len(numbers)) for r in roots)

    def overwrites(self, graph: Graph, found: frozenset[int]) -> bool:
        """Enters that a graph overwrites inputs; returns False if that is known."""
        known = self.overwritten.get(graph)
        if known is None or found <= known:
            return False
        self.overwritten[graph] = known | found
        return True


@dataclass
class _Update:
    """An equation that overwrites an array if it may.

    path      its position.
    loop      the position of the innermost loop around it, if there is one.
    argument  for a call: the index of the argument that the callee overwrites.
    carried   for an operation on an array that a loop carries, which may take its memory: that.
    """

    equation: Equation
    path: Path
    loop: Path | None
    argument: int | None = None
    carried: Value | None = None

    @property
    def overwritten(self) -> Atom:
        e = self.equation
        if self.carried is not None:
            return self.carried
        return e.inputs[0] if self.argument is None else e.args[self.argument]


class _Info(Births):
    """The positions at which values are made and used, and the values that may share memory."""

    def __init__(self, graph: Graph, callees: _Callees, own: Mapping[Value, Atom] = EMPTY) -> None:
        super().__init__()
        self.callees = callees
        self.uses: dict[Value, list[Path]] = defaultdict(list)
        self.parent: dict[Value, Value] = {}
        self.members: dict[Value, list[Value]] = {}
        self.holders: dict[Value, list[Value]] = defaultdict(list)
        self.sharing: dict[Value, list[Value]] = defaultdict(list)
        self.updates: list[_Update] = []
        self.unwritable: set[Value] = set()
        self.loops: list[tuple[Loop, Path, Path | None]] = []
        self.next_of: dict[Equation, Value] = {}
        self.live: dict[Value, LiveValues] = {}
        self.related: dict[Value, list[Value]] = {}
        lasting = {} if callees.by_reference else _sums(graph, own.items())
        self.next_of.update(lasting)
        self._visit(graph, (), None)
        for e, x in lasting.items():
            self._unite(e.outputs[0], x)
        self.new_lists = dict(self._new_lists())
        self.found: dict[Value, Value | None] = {}

    # -- collecting -----------------------------------------------------------------------

    def _visit(self, graph: Graph, prefix: Path, around: Path | None) -> None:
        """Collects from a graph or region; `around` is the innermost loop that it is in."""
        for value in (*graph.inputs, *graph.captures):
            self.made[value] = (*prefix, -1)
        for index, equation in enumerate(graph.equations):
            path = (*prefix, index)
            for value in equation.uses:
                self.uses[value].append(path)
            loop = as_loop(equation) if equation.regions else None
            if loop is not None:
                self.loops.append((loop, path, around))
                self.carriers.update({v: (loop, k, path) for k, v in enumerate(loop.carried)})
                self.next_of.update({} if self.callees.by_reference else _sums(
                    loop.body, zip(loop.carried, loop.body.outputs, strict=True)))
            if (carried := self.next_of.get(equation)) is not None:
                self.updates.append(_Update(equation, path, around, carried=carried))
            for number, region in enumerate(equation.regions and regions_of(equation)):
                self._visit(region, (*path, number), around if loop is None else path)
            for value in equation.outputs:
                self.made[value] = (*prefix, index + 0.5)  # after what its regions hold
                self.makers[value] = equation
            if equation.regions or is_about_memory(equation.op):
                self._visit_memory(equation, path, around)
        end = (*prefix, len(graph.equations))
        for atom in graph.outputs:
            if isinstance(atom, Value):
                self.uses[atom].append(end)

    def _visit_memory(self, equation: Equation, path: Path, around: Path | None) -> None:
        """Collects from an equation that may give, hold or overwrite memory of its operands."""
        self._alias(equation)
        if equation.op.unwritable:
            self.unwritable.update(equation.outputs)
        if equation.op.effect == "store":  # others see the store: no copy may take its place
            self.unwritable.update((*equation.inputs[:1], *written_by(equation)))
        if equation.op.inplace or self.lists_of(equation) is not None:
            self.updates.append(_Update(equation, path, around))
        if equation.regions and equation.callee is not None:
            self.updates += [_Update(equation, path, around, i)
                             for i in sorted(self.callees.overwritten[equation.callee])]

    def _alias(self, equation: Equation) -> None:
        """Enters that the outputs may share memory with the values they come from."""
        outputs = equation.outputs
        if (branch := as_branch(equation)) is not None:
            self._pair(outputs, branch.on_true.outputs)
            self._pair(outputs, branch.on_false.outputs)
        elif (loop := as_loop(equation)) is not None:
            self._pair(outputs, loop.body.outputs)
            self._pair(outputs, loop.carried)
        elif (lists := self.lists_of(equation)) is not None:
            self._unite(*lists)
            for item in held_by(equation):  # no item may be overwritten while the list holds it
                self.holders[item] += outputs
        elif equation.op is GETITEM and isinstance(base := equation.args[0], Value) and (
                base in self.callees.lists):
            self._take(outputs[0], base, equation.args[1])
        elif equation.op.inplace or is_view(equation):
            bases = equation.inputs if equation.op.views_each else equation.inputs[:1]
            for v in outputs:
                if may_have_memory(v.type):
                    for base in bases:
                        self._unite(v, base)
            for item in held_by(equation):  # no item may be overwritten while the list holds it
                self.holders[item] += outputs
        elif (call := as_call(equation)) is not None:
            self._alias_call(call)
        elif equation.op.holds_operands or equation.op.effect == "call":
            for value in equation.inputs:
                self._pair(outputs, (value,) * len(outputs))

    def _take(self, taken: Value, items: Value, index: Nest) -> None:
        """Enters what is taken out of a list: an item, or another list of some of the items."""
        if type(index) is not slice:
            self.holders[taken].append(items)
        if not is_number(index):
            self.sharing[taken].append(items)
            self.sharing[items].append(taken)

    def _alias_call(self, call: Call) -> None:
        groups: dict[int, list[object]] = defaultdict(list)
        numbers = self.callees.aliases[call.callee]
        for number, x in zip(numbers, (*call.arguments, *call.results), strict=True):
            groups[number].append(x)
        for first, *others in groups.values():
            self._pair(tuple(others), (first,) * len(others))

    def _pair(self, left: tuple[object, ...], right: tuple[object, ...]) -> None:
        for a, b in zip(left, right, strict=False):
            if isinstance(a, Value) and isinstance(b, Value):
                self._unite(a, b)

    def lists_of(self, e: Equation) -> tuple[Value, Value] | None:
        """Returns a list that an equation changes, before and after."""
        return changed_list(e, self.callees.methods)

    def root(self, value: Value) -> Value:
        while value in self.parent:
            value = self.parent[value]
        return value

    def _unite(self, a: Value, b: Value) -> None:
        a, b = self.root(a), self.root(b)
        if a is b:
            return
        left, right = self.members.get(a) or [a], self.members.get(b) or [b]
        if len(left) < len(right):
            a, b, left, right = b, a, right, left
        self.parent[b] = a
        left += right
        self.members[a] = left
        self.members.pop(b, None)

    def alias_class(self, value: Value) -> list[Value]:
        root = self.root(value)
        return self.members.get(root) or [root]

    # -- asking ---------------------------------------------------------------------------

    def _new_lists(self) -> Iterator[tuple[Value, tuple[tuple[Equation, int], Path]]]:
        """Yields the carried values that are always the list with which the loop began, a new one,
        or that list with more items; with each, the loop and its index there, and its position."""
        for loop, path, _ in self.loops:
            for k, (value, start, end) in enumerate(zip(
                    loop.carried, loop.initial, loop.body.outputs, strict=True)):
                if type(start) is list and self._is_new_list(end, {value}):
                    yield value, ((loop.equation, k), path)

    def _is_new_list(self, x: Atom, known: set[Value]) -> bool:
        """Returns True for a new list, and for one of those known with more items."""
        if not isinstance(x, Value) or x in known:
            return type(x) is list or x in known
        e = self.makers.get(x)
        if e is None:
            return False
        k = e.outputs.index(x)
        if (branch := as_branch(e)) is not None:
            return all(self._is_new_list(side.outputs[k], known) for _, side in branch.sides())
        if (loop := as_loop(e)) is not None:
            return self._is_new_list(loop.initial[k], known) and self._is_new_list(
                loop.body.outputs[k], known | {loop.carried[k]})
        lists = self.lists_of(e)
        return lists is not None and x is lists[1] and self._is_new_list(lists[0], known)

    def birth(self, update: _Update, x: Atom) -> Birth | None:
        """Returns where the memory of an update's array was made; None if that is not known, or if
        the array is from outside the innermost loop around the update. No array from before then
        has that memory, though a loop may carry it into the next iteration under the same name."""
        if update.argument is not None or update.carried is not None or not (
                isinstance(x, Value) and x in self.made and (
                    update.loop is None or inside(self.made[x], update.loop))):
            return None
        return self.born(x)

    def new_list_of(self, x: Atom) -> Value | None:
        """Returns the carried value, one of `new_lists`, of whose list this is a later state."""
        chain: list[Value] = []
        while isinstance(x, Value) and x not in self.found and (
                e := self.makers.get(x)) is not None and (
                    lists := self.lists_of(e)) is not None and x is lists[1]:
            chain.append(x)
            x = lists[0]
        found = self._new_list_of(x) if isinstance(x, Value) else None
        self.found.update(dict.fromkeys(chain, found))
        return found

    def _new_list_of(self, x: Value) -> Value | None:
        if x in self.found or x in self.new_lists:
            return self.found.get(x, x)
        e = self.makers.get(x)
        if e is None or not e.regions or is_call(e):
            return None
        k = e.outputs.index(x)
        if (loop := as_loop(e)) is not None:
            return loop.carried[k] if loop.carried[k] in self.new_lists else None
        sides = {self.new_list_of(region.outputs[k]) for region in e.regions}
        self.found[x] = found = sides.pop() if len(sides) == 1 else None
        return found

    def allows(self, update: _Update, x: Value, foreign: Set[Value], birth: Birth | None) -> bool:
        """Returns True if an equation may overwrite one of its inputs; `foreign` are the roots of
        memory that is not the graph's own, `birth` is where the memory was made."""
        e = update.equation
        if is_call(e):
            if sum(self.root(v) is self.root(x) for v in e.inputs) > 1:
                return False
        elif e.args[0] is not x and self.lists_of(e) is None and update.carried is None:
            return False
        roots = self._related(self.root(x))
        return (birth is not None or foreign.isdisjoint(roots)) and not any(
            self.is_used_after(value, update.path, update.loop)
            for root in roots for value in self.live_at(root, update.path)
            if birth is None or self.made[value] >= birth.path or not (
                _is_plain_array(value) or self.lists_of(e) is not None))

    def _related(self, root: Value) -> list[Value]:
        """Returns the roots of an alias class, of the lists that hold its members, of those that
        share items with these or hold them, and so on."""
        if root not in self.related:
            found = {root: None}
            for each in (waiting := [root]):
                members = self.alias_class(each)
                owners = self._roots(self.holders, members)
                if each is not root or root in owners:  # it holds what is asked for
                    owners |= self._roots(self.sharing, members)
                new = owners - found.keys()
                found.update(dict.fromkeys(new))
                waiting += new
            self.related[root] = list(found)
        return self.related[root]

    def _roots(self, relation: Mapping[Value, list[Value]], members: list[Value]) -> set[Value]:
        return {self.root(x) for v in members for x in relation.get(v, ())}

    def live_at(self, root: Value, path: Path) -> Collection[Value]:
        """Returns the members of an alias class that are live at a position, and maybe others."""
        if root not in self.live:
            self.live[root] = LiveValues([
                (self.made[v], self._end_of(v), v) for v in self.alias_class(root)
                if v in self.made and v in self.uses])
        return self.live[root].at(path)

    def _end_of(self, value: Value) -> Path:
        """Returns the position of the last use, or of the end of the equation that holds it: that
        may be a loop."""
        last, level = self.uses[value][-1], len(self.made[value])
        return last if len(last) <= level else (*last[: level - 1], last[level - 1] + 0.5)

    def is_used_after(self, value: Value, path: Path, loop: Path | None) -> bool:
        """Returns True if a live value is used after a position, or by every iteration of the loop
        around it, though it was made before the loop."""
        uses = self.uses[value]
        return any(_after(use, path) or inside(use, path) for use in reversed(uses)) or (
            loop is not None and self.made[value][: len(loop)] != loop
            and any(inside(use, loop) for use in reversed(uses)))


def _is_plain_array(value: Value) -> bool:
    """Returns True for an array that holds no objects."""
    t = value.type
    return isinstance(t, ArrayType) and t.dtype is not None and not t.dtype.hasobject


def _sums(graph: Graph, pairs: Iterable[tuple[Value, Atom]]) -> dict[Equation, Value]:
    """Returns the operations of a block that make the next value of a large array from the one that
    it has, element by element. Tiles have memory of their own for their results."""
    found: dict[Equation, Value] = {}
    tiled: set[Equation] | None = None
    makers = {e.outputs[0]: e for e in graph.equations if len(e.outputs) == 1}
    for carried, end in pairs:
        e = makers.get(end) if isinstance(end, Value) else None
        if e is None or e.op.ufunc is None or e.kwargs or not carried.type.is_large or not (
                carried in e.args and e.outputs[0].type == carried.type):
            continue
        if tiled is None:
            tiled = {e for group in fusion_groups(graph) for e in group}
        if e not in tiled:
            found[e] = carried
    return found


def _after(a: Path, b: Path) -> bool:
    """Returns True if path a is reached after path b; the sides of a branch exclude each other."""
    for level, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return level % 2 == 0 and x > y
    return False


def _settle_loops(plan: Plan, info: _Info, foreign: set[Value], touched: set[Value],
                  within: set[Carried]) -> None:
    """Finds the carried values whose memory is overwritten, and the initial ones to copy for it;
    the memory of the other initial ones is overwritten, too: it may be that of a loop before.

    `within`: the carried values with memory that was made around their loops."""
    for loop, path, around in sorted(info.loops, key=lambda found: found[1], reverse=True):
        roots = [info.root(x) if isinstance(x, Value) else None for x in loop.initial]
        times = Counter(roots)
        info.live.clear()
        for index, (value, root) in enumerate(zip(loop.carried, roots, strict=True)):
            if info.root(value) in touched:
                plan.owned.add(value)
                if root is None or times[root] > 1 or root in foreign or any(
                        info.is_used_after(v, path, around) for v in info.live_at(root, path)):
                    plan.copied.add((loop.equation, index))
                else:
                    touched.add(root)
            elif (loop.equation, index) in within:
                plan.owned.add(value)
                birth = info.born(value)
                assert birth is not None
                if root is None or times[root] > 1 or any(
                        info.is_used_after(v, path, around) for v in info.live_at(root, path)
                        if info.made[v] >= birth.path or not _is_plain_array(v)):
                    plan.copied.add((loop.equation, index))
                else:
                    within.update(birth.loops[1:2])
