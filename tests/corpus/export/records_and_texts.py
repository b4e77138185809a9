"""Programs of dates, records and texts, with edge cases, for files that run in another process."""

import numpy as np

from tests.corpus.case import Case

SAMPLE = np.dtype([("id", "i4"), ("at", "f8", (2,)), ("tag", "U3")])


def working_days(first, last):
    days = 0
    while first < last:
        if np.is_busday(first):
            days += 1
        first = first + np.timedelta64(1, "D")
    return days, first


def ages(born, now):
    years = (now - born).astype("m8[D]").astype(int) // 365
    late = np.where(np.isnat(born), -1, years)
    return late, born.astype("M8[Y]"), (now - born).max(initial=np.timedelta64(0, "D"))


def oldest_record(rows):
    best = -1
    for k in range(rows.shape[0]):
        if best < 0 or rows["at"][k, 0] > rows["at"][best, 0]:
            best = k
    return best, rows["id"].sum(), rows[rows["id"] > 1]["tag"]


def moved_records(rows, by):
    rows["at"] += by
    rows["id"][::2] = 0
    return rows[["id", "tag"]]


def upper_names(names):
    return np.strings.upper(names), np.strings.str_len(names), np.char.add(names, "!")


def longest_name(names):
    best = ""
    for name in names:
        if len(name) > len(best):
            best = name
    return best, best == names[0]


def roman(n):
    made, left = "", int(n)
    for value, text in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while left >= value:
            made += text
            left -= value
    return made


def counted_words(words):
    counts = {}
    for word in words:
        counts[str(word)] = counts.get(str(word), 0) + 1
    return counts, sorted(counts, key=lambda w: (-counts[w], w))


RECORDS = np.array([(1, (0.5, 1), "ab"), (2, (2.5, 0), "c"), (3, (1.0, 9), "def")], SAMPLE)
DAYS = np.array(["2000-02-29", "NaT", "1999-12-31"], "M8[D]")

CASES = [
    Case(working_days, (np.datetime64("2024-02-26"), np.datetime64("2024-03-04")),
         (np.datetime64("2024-03-04"), np.datetime64("2024-02-26"))),
    Case(ages, (DAYS, np.datetime64("2026-01-01")), (DAYS[:0], np.datetime64("2026-01-01"))),
    Case(oldest_record, (RECORDS,), (RECORDS[:1],), (RECORDS[:0],)),
    Case(moved_records, (RECORDS, np.float64(2)), (RECORDS[:0], np.float64(np.nan))),
    Case(upper_names, (np.array(["ab", "Zé", ""]),), (np.array([], "U2"),)),
    Case(longest_name, (np.array(["a", "bcd", "ef"]),), (np.array(["x"]),)),
    Case(roman, (np.int64(9),), (np.int64(0),), (np.int64(38),)),
    Case(counted_words, (np.array(["a", "b", "a"]),), (np.array([], "U1"),)),
]
