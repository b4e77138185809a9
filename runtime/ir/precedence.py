"""Parentheses: an operand has none where Python needs none and nobody has to think about it.

The levels are those of https://docs.python.org/3/reference/expressions.html#operator-precedence.
Powers, shifts and operators on bits are left out: few readers know where those stand.
"""

from __future__ import annotations

import re
from functools import cache

LEVELS = {
    "or": 1, "and": 2, "not": 3,
    **dict.fromkeys(("in", "not in", "is", "is not", "<", "<=", ">", ">=", "==", "!="), 4),
    **dict.fromkeys(("+", "-"), 5), **dict.fromkeys(("*", "/", "//", "%", "@"), 6)}
COMPARISON, SUM, PRODUCT = 4, 5, 6


@cache
def operator_of(form: str) -> str:
    """Returns the operator of a form that has one such operator; "" for all other forms.

    >>> operator_of("{1} in {0}"), operator_of("not {0}"), operator_of("{0} << {1}")
    ('in', 'not', '')
    """
    found = re.fullmatch(r"(?:\{\d\} )?([^{} ]+(?: in| not)?) \{\d\}", form)
    return found[1] if found is not None and found[1] in LEVELS else ""


@cache
def needs_parentheses(inner: str, outer: str, is_first: bool) -> bool:
    """Returns True if an operand of one form has parentheses in another form.

    is_first: it stands on the left.

    >>> needs_parentheses("{0} * {1}", "{0} + {1}", False)
    False
    >>> needs_parentheses("{0} + {1}", "{0} - {1}", False)
    True
    """
    a, b = operator_of(inner), operator_of(outer)
    if not a or not b:
        return True
    if LEVELS[a] == LEVELS[b]:  # Python groups from the left
        same = a == b or LEVELS[a] == SUM or {a, b} == {"*", "/"}
        return not (is_first and same and LEVELS[a] != COMPARISON)
    return LEVELS[a] < LEVELS[b] or b == "not" or (a, b) == ("and", "or")
