"""`if`: what a branch may bind, return, change and raise."""

import numpy as np

from tests.corpus.case import titled

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (3,), (-2,)]
VECTORS = [(np.array([1.0, 2.0]),), (np.array([-1.0, -2.0]),)]


def scalar_condition(x):
    if x > 0:
        return x * 2
    return -x


def elif_chain(x):
    if x > 2:
        y = "large"
    elif x > 0:
        y = "small"
    elif x == 0:
        y = "none"
    else:
        y = "negative"
    return y


def condition_of_one_element(x):
    if x > 0:
        return 1
    return 0


def condition_of_numbers(x):
    y = 0
    if x:
        y = 1
    return y


def condition_of_several_elements(x):
    if x > 0:
        return 1
    return 0


def numpy_condition(x):
    y = 0
    if np.all(x > 0):
        y = 1
    if np.float64(1) > 0:
        y += 2
    return y


def set_in_one_branch_used_after(x):
    if x > 0:
        y = x + 1
    return y


def set_in_branch_unused_after(x):
    if x > 0:
        y = x
        x = y + 1
    return x


def none_in_one_branch(x):
    y = None
    if x > 0:
        y = x
    return y is None, y


def none_in_both_branches(x):
    if x > 0:
        return None
    return None


def other_dtype(x):
    if x > 0:
        y = 1
    else:
        y = 2.5
    return y


def other_dtype_of_arrays(x):
    if x.sum() > 0:
        y = x.astype(np.int32)
    else:
        y = x.astype(np.float32)
    return y


def other_shape(x):
    if x.sum() > 0:
        y = np.concatenate([x, x])
    else:
        y = x
    return y, y.sum()


def other_structure(x):
    if x > 0:
        y = (x, [x, x + 1])
    else:
        y = {"x": x}
    return y


class Point:
    def __init__(self, x):
        self.x = x

    def twice(self):
        return self.x * 2


class Other:
    def __init__(self, x):
        self.x = -x

    def twice(self):
        return 0


def object_made_in_branch(x):
    if x > 0:
        p = Point(x)
    else:
        p = Point(x - 1)
    return p.x, p.twice()


def object_chosen_in_branch(x):
    p = Point(x) if x > 0 else Other(x)
    return p.x, p.twice()


def function_defined_in_branch(x):
    if x > 0:
        def g(y):
            return y + 1
    else:
        def g(y):
            return y * 2
    return g(x)


def function_chosen_in_branch(x):
    f = np.sin if x > 0 else np.cos
    return f(x)


def string_in_branches(x):
    if x > 0:
        s = "positive"
    else:
        s = "not"
    return s + "!"


def raise_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return x


def del_in_branch(x):
    y = 1
    if x > 0:
        del y
    return y


def append_in_branch(x):
    items = []
    if x > 0:
        items.append(1)
    else:
        items.append(2)
        items.append(x)
    return items


class Counter:
    def __init__(self):
        self.n = 0

    def inc(self):
        self.n += 1


def object_mutated_through_a_method(x):
    a = Counter()
    if x > 0:
        a.inc()
    return a.n


def conditional_expression(x):
    return x if x > 0 else -x


def conditional_expression_of_other_types(x):
    return [x] if x > 0 else (x, None)


def nested_conditional_expression(x):
    return 1 if x > 1 else (2 if x > 0 else (3 if x == 0 else None))


def conditional_expression_of_other_lengths(x):
    y = [x, x] if x > 0 else [x]
    return y


CASES = [
    titled("`if` on bool scalar tensor", scalar_condition, *SCALARS),
    titled("`elif` chain", elif_chain, *SCALARS),
    titled("cond of shape (1,) or unknown", condition_of_one_element,
        (np.array([1.0]),), (np.array([[-1.0]]),), (np.array(2),)),
    titled("cond of shape (1,) or unknown, several elements",
        condition_of_several_elements, *VECTORS),
    titled("cond int/float tensor", condition_of_numbers, *SCALARS, (np.int8(0),), (np.int8(5),)),
    titled("numpy bool cond", numpy_condition, *VECTORS),
    titled("variable set in one branch, used after", set_in_one_branch_used_after, *SCALARS),
    titled("variable set in branch, unused after", set_in_branch_unused_after, *SCALARS),
    titled("None in one branch", none_in_one_branch, *SCALARS),
    titled("None in one branch, both returning None", none_in_both_branches, *SCALARS),
    titled("dtype differs between branches", other_dtype, *SCALARS),
    titled("dtype differs between branches, arrays", other_dtype_of_arrays, *VECTORS),
    titled("shape differs between branches", other_shape, *VECTORS),
    titled("nested structure differs", other_structure, *SCALARS),
    titled("arbitrary Python object set in branch, used after", object_made_in_branch, *SCALARS),
    titled("arbitrary Python object chosen in branch", object_chosen_in_branch, *SCALARS),
    titled("functions defined in branches", function_defined_in_branch, *SCALARS),
    titled("functions chosen in branches", function_chosen_in_branch, *SCALARS),
    titled("string in branches", string_in_branches, *SCALARS),
    titled("`raise` in a branch of a tensor if", raise_in_branch, *SCALARS),
    titled("`del` in branch", del_in_branch, *SCALARS),
    titled("`list.append` in branch", append_in_branch, *SCALARS),
    titled("object mutated through a method in branch", object_mutated_through_a_method, *SCALARS),
    titled("`x if c else y`", conditional_expression, *SCALARS),
    titled("`x if c else y`, list/tuple mismatch and None", conditional_expression_of_other_types,
        *SCALARS),
    titled("nested conditional expression", nested_conditional_expression, *SCALARS),
    titled("mismatching branch lengths in ternary", conditional_expression_of_other_lengths,
        *SCALARS),
]
