"""Text and bytes that a function writes to streams of its own, plain or by `csv`."""

import csv
import io

import numpy as np

from tests.corpus.case import Case


def rows_by_csv(x):
    out = io.StringIO()
    writer = csv.writer(out)
    for i, v in enumerate(x):
        if v > 1:
            writer.writerow([i, v])
    return out.getvalue()


def rows_of_dicts(x):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["a", "b"])
    writer.writeheader()
    writer.writerow({"a": x[0], "b": x[1] if x[1] > 0 else None})
    out.seek(0)
    return list(csv.reader(out))


def printed_lines(x):
    out = io.StringIO()
    for v in x:
        if v > 1:
            print("v", v, file=out, end=";")
    return out.getvalue()


def printed_and_written(x):
    out = io.StringIO()
    print(x[0], file=out)
    out.write(f"{x[1]:.2f}\n")
    return out.getvalue(), out.tell()


def array_in_bytes(x):
    buffer = io.BytesIO()
    np.save(buffer, x * 2)
    buffer.seek(0)
    return np.load(buffer), len(buffer.getvalue())


def read_back(x):
    out = io.StringIO("head\n")
    out.seek(0, 2)
    for v in x:
        out.write(str(v) + "\n")
    out.seek(0)
    return [float(line) for line in out.read().splitlines()[1:]]


def saved_as_text(x):
    out = io.StringIO()
    np.savetxt(out, x[x > 0])
    return out.getvalue()


def streams_in_a_list(x):
    logs = [io.StringIO() for _ in range(2)]
    for k, v in enumerate(x):
        logs[k % 2].write(f"{v} ")
    return [log.getvalue() for log in logs]


class Log:
    def __init__(self):
        self.out = io.StringIO()

    def say(self, first, *more):
        if first > 0:
            print(first, *more, file=self.out)
        return self


def stream_of_an_object(x):
    log = Log()
    for v in x:
        log.say(v, "x")
    return log.out.getvalue()


def written_by_a_closure(x):
    out = io.StringIO()

    def tell(v):
        out.write("%g," % v)  # noqa: UP031

    for v in x:
        if v > 0:
            tell(v)
    return out.getvalue().rstrip(",").split(",")


ARRAYS = [(np.array([1.0, 2.0, 3.0, 4.0]),), (np.array([5.0, -1.0, 0.5]),)]

CASES = [Case(f, *ARRAYS) for f in (
    rows_by_csv, rows_of_dicts, printed_lines, printed_and_written, array_in_bytes, read_back,
    saved_as_text, streams_in_a_list, stream_of_an_object, written_by_a_closure)]
