"""Text made of values: f-strings, `%`, `format`, `str`, in results, conditions and messages."""

import numpy as np

from tests.corpus.case import Case


def raises_formatted(x):
    if x > 0:
        raise ValueError(f"bad {x:.2f} {x!r}")
    return x


def always_raises_formatted(x):
    raise ValueError(f"never {x:.2f}")


def asserts_formatted(x):
    assert x < 0, f"{x} is {'not' if x == 0 else 'more'} than 0"
    return x


def raises_percent(x):
    if x > 100:
        raise ValueError("%s is large" % x)
    if x > 3:
        raise KeyError("k{}".format(x))
    return x


class Rejected(Exception):
    """A value that is rejected, and why."""

    def __init__(self, value, why):
        super().__init__(value, why)
        self.value = value


def raises_with_attributes(x):
    try:
        if x > 1:
            raise Rejected(x, f"{x:.1f} > 1")
    except Rejected as error:
        return error.value + 1, error.args[1]
    return x, ""


def every_way(x):
    return (f"{x}", str(x), repr(x), format(x, ".1f"), "{0} {0!r}".format(x), "%s" % x,
            "%.2f and %d" % (x, x), f"{x:>{12}}", f"{x=}", f"{{{x}}}" "tail")


def of_arrays(v):
    return f"{v} {v.shape} {v.sum():.3f} {[v[0], 'a']} {(v.max(),)} { {'k': v[1]} }"


def joined(v):
    out = []
    for a in v:
        out.append(f"<{a:.0f}>")
    return ", ".join(out)


def compared(x):
    text = f"{x:.0f}"
    if text == "4":
        return text + "!"
    return text.rjust(5, "*").upper()


def collected(x):
    text = ""
    for i in range(12):
        if x > i:
            text = text + f"{i}:{x - i:.1f} "
    return text


def counted(v):
    lines = [f"{i:02d} {a!s:>8}" for i, a in enumerate(v) if a > 1]
    return "\n".join(lines), len(lines)


def joined_from_iterators(v):
    return ", ".join(f"{a:.1f}" for a in v), "-".join(map(str, v)), "".join(("<", str(v[0]), ">"))


def put_in_order(v):
    return sorted([f"{a}" for a in v]), max(f"{a:.0f}" for a in v)


def letter_by_letter(x):
    count = 0
    for letter in f"{x:.3f}":
        if letter == "0":
            count += 1
    return count, list(f"{x}"), "." in f"{x}", len(f"{x}"), f"{x}"[0], f"{x:.0f}" * 2


def words(xs, i):
    word = xs[i]
    told = word.dtype, word.nbytes, [x.itemsize for x in xs]
    if word == xs[0]:
        word = word + word
    return word, len(word), word.upper(), told


def text_given(word, x):
    if x > 0:
        return word, word.dtype, word.nbytes, word == "ab", np.str_("c")
    return word[0], word, x, word < "b", word


SCALARS = [(np.float64(3.6),), (np.float64(-2.0),), (np.float64(0.0),), (np.int64(6),), (2,)]
VECTORS = [(np.array([3.0, 1.5, 2.0]),), (np.array([0.25, -5.0, 9.0]),)]

CASES = [
    Case(raises_formatted, *SCALARS),
    Case(always_raises_formatted, *SCALARS[:2]),
    Case(asserts_formatted, *SCALARS),
    Case(raises_percent, *SCALARS, (np.float64(1000.0),)),
    Case(raises_with_attributes, *SCALARS),
    Case(every_way, *SCALARS),
    Case(of_arrays, *VECTORS),
    Case(joined, *VECTORS),
    Case(joined_from_iterators, *VECTORS),
    Case(put_in_order, *VECTORS),
    Case(letter_by_letter, *SCALARS),
    Case(compared, *SCALARS),
    Case(collected, *SCALARS),
    Case(counted, *VECTORS),
    Case(words, *((np.array(["a", "dcba", "a"], kind), np.int64(i))
                  for kind in "US" for i in range(3))),
    Case(text_given, *((np.str_(word), *x) for word in ("ab", "", "c") for x in SCALARS[:2])),
]
