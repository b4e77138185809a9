"""The operators of generated code, which a user may also call by hand."""

from autograph.operators.builtins import (
    BUILTIN_REPLACEMENTS,
    abs,
    all,
    any,
    ascii,
    bin,
    bool,
    bytearray,
    bytes,
    callable,
    chr,
    complex,
    dict,
    divmod,
    enumerate,
    filter,
    float,
    format,
    frozenset,
    getattr,
    hasattr,
    hex,
    id,
    int,
    isinstance,
    iter,
    len,
    list,
    map,
    max,
    memoryview,
    min,
    next,
    oct,
    ord,
    pow,
    print_,
    range,
    repr,
    reversed,
    round,
    set,
    sorted,
    str,
    sum,
    tuple,
    type,
    zip,
)
from autograph.operators.checks import assert_, getitem, match_parts, raise_, to_match
from autograph.operators.comprehensions import dict_comp, generator, list_comp, set_comp
from autograph.operators.containers import (
    deleted,
    item_key,
    item_or_end,
    new_array,
    new_container,
    new_dict,
    new_list,
    new_set,
    rebound,
    stored,
    to_read,
    updating,
)
from autograph.operators.control_flow import cond, for_loop, identity, while_loop
from autograph.operators.given import given
from autograph.operators.logical import (
    and_,
    in_,
    is_,
    is_none,
    is_not,
    is_not_none,
    not_,
    not_in,
    or_,
    truth,
)
from autograph.operators.strings import formatted, percent
from autograph.operators.structures import call_spread, compare, spread, unpack_rest
from autograph.operators.variables import (
    Undefined,
    bound,
    local,
    own_names,
    own_values,
    without_own_names,
)

OPERATORS = (
    "cond", "identity", "while_loop", "for_loop",
    "and_", "or_", "not_", "truth", "in_", "not_in", "is_", "is_not", "is_none",
    "is_not_none", "Undefined", "bound", "local", "own_names", "own_values", "without_own_names",
    "assert_",
    "formatted", "percent", "getitem", "to_match", "match_parts", "raise_", "new_list",
    "new_dict", "new_set", "new_array", "new_container", "item_key", "stored", "deleted", "rebound",
    "updating", "to_read", "item_or_end", "list_comp", "set_comp", "dict_comp", "generator",
    "print_", "spread", "call_spread", "unpack_rest", "compare", "given", *BUILTIN_REPLACEMENTS,
)
"""The names that generated code may use of `ag` (and `converted`)."""

__all__ = [
    "OPERATORS", "Undefined", "abs", "all", "and_", "any", "ascii", "assert_", "bin", "bool",
    "bound", "bytearray", "bytes", "call_spread", "callable", "chr", "compare", "complex", "cond",
    "deleted", "dict", "dict_comp", "divmod", "enumerate", "filter", "float", "for_loop", "format",
    "formatted", "frozenset", "generator", "getattr", "getitem", "given", "hasattr", "hex",
    "id", "identity", "in_", "int", "is_", "is_none", "is_not", "is_not_none", "isinstance",
    "item_key", "item_or_end", "iter", "len", "list", "list_comp", "local", "map", "match_parts",
    "max", "memoryview", "min", "new_array", "new_container", "new_dict", "new_list", "new_set",
    "next", "not_", "not_in", "oct", "or_", "ord", "own_names", "own_values", "percent", "pow",
    "print_", "raise_", "range", "rebound", "repr", "reversed", "round", "set", "set_comp",
    "sorted", "spread", "stored", "str", "sum", "to_match", "to_read", "truth", "tuple", "type",
    "unpack_rest", "updating", "while_loop", "without_own_names", "zip",
]
