"""Dead values: after which equation a temporary array can be dropped, as plain Python drops it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Set

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.buffer_reuse import Reuse
from autograph.runtime.lower.shared_memory import is_view
from autograph.runtime.ops.indexing import GETITEM


def dying(reuse: Reuse, uses: Counter[Value], carried: Set[Value] = frozenset(),
          others: Set[Value] = frozenset()) -> dict[Equation, list[Value]]:
    """Returns the temporary arrays of a block that nothing needs after an equation, those that a
    loop carries into it among them; but for others, which die in another way.

    These are arrays to which the user gave no name, or one that is bound again: in plain Python
    they are freed as soon as the expression around them is done, or the name is bound. Those that a
    view keeps are freed with the view.
    """
    found = defaultdict(list)
    bound = {v.hint: at for e, at in reuse.position.items() for v in e.outputs}
    bound[""] = len(reuse.position)
    for value, users in reuse.users.items():
        last = reuse.last[value]
        if last is not None and value not in others and len(users) == uses[value] and (
                _has_size(value)) and _is_temporary(
                    value, reuse, carried, bound, reuse.position[last]):
            found[last].append(value)
    return found


def _is_temporary(value: Value, reuse: Reuse, carried: Set[Value], bound: Mapping[str, int],
                  last: int) -> bool:
    """Returns True for an array that nothing keeps once all names that are bound again after its
    last use are: of the block's own, or carried into it."""
    while bound.get(value.hint, -1) >= last:
        maker = reuse.maker.get(value)
        if maker is None or not is_view(maker):
            return value in carried if maker is None else maker.op.fresh or maker.op is GETITEM
        value = maker.args[0]
        if not isinstance(value, Value):
            return False
    return False


def _has_size(value: Value) -> bool:
    """Returns True for an array that is large, or may be."""
    t = value.type
    return isinstance(t, ArrayType) and not t.scalar and t.shape != () and (
        t.is_large or not t.is_static)
