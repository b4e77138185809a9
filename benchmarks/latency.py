"""What a user waits for before anything is fast: the import, and a function's first call.

A first call converts, traces, optimises and emits. It is measured after a warm-up of the package,
over functions of about twenty lines that were not seen before, each converted and traced anew, in
turns with the peers that are installed. On a machine that does other things at the same time the
processor's time tells more than the clock's. Then each stage of ours by itself.
"""

import itertools
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType

import numpy as np

import autograph as ag
from benchmarks import harness, stages
from benchmarks.kernel_programs import sixty_lines

Functions = dict[str, tuple[str, tuple[object, ...]]]

REPEATS = 15
IMPORTS = 7

ELEMENTWISE = '''
def black_scholes(s, x, t):
    rate = 0.1
    volatility = 0.2
    root = np.sqrt(t)
    drift = rate + 0.5 * volatility * volatility
    d1 = (np.log(s / x) + drift * t) / (volatility * root)
    d2 = d1 - volatility * root
    k1 = 1.0 / (1.0 + 0.2316419 * np.abs(d1))
    p1 = 1.781477937 + k1 * (-1.821255978 + k1 * 1.330274429)
    q1 = k1 * (0.31938153 + k1 * (-0.356563782 + k1 * p1))
    n1 = 0.3989422804 * np.exp(-0.5 * d1 * d1) * q1
    c1 = np.where(d1 > 0, 1.0 - n1, n1)
    k2 = 1.0 / (1.0 + 0.2316419 * np.abs(d2))
    p2 = 1.781477937 + k2 * (-1.821255978 + k2 * 1.330274429)
    q2 = k2 * (0.31938153 + k2 * (-0.356563782 + k2 * p2))
    n2 = 0.3989422804 * np.exp(-0.5 * d2 * d2) * q2
    c2 = np.where(d2 > 0, 1.0 - n2, n2)
    discount = np.exp(-rate * t)
    call = s * c1 - x * discount * c2
    put = x * discount * (1.0 - c2) - s * (1.0 - c1)
    return call, put
'''

BRANCHES = '''
def clip_and_scale(x, low, high):
    total = np.sum(x)
    mean = total / len(x)
    spread = np.max(x) - np.min(x)
    if spread > 1.0:
        x = x / spread
        mean = mean / spread
    elif spread > 0.1:
        x = x * 2.0
    else:
        x = x + 1.0
    if mean < low:
        y = np.maximum(x, low)
        flag = 1
    else:
        if mean > high:
            y = np.minimum(x, high)
        else:
            y = x - mean
        flag = 2
    return y * flag, mean
'''

LOOPS = '''
def newton_and_sum(x, tolerance):
    guess = x
    steps = 0
    step = x
    while step > tolerance * guess:
        better = 0.5 * (guess + x / guess)
        step = abs(better - guess)
        guess = better
        steps += 1
        if steps > 50:
            break
    total = 0.0
    for i in range(20):
        if i % 3 == 0:
            total += guess * i
        else:
            total -= guess
        if total > 1e6:
            total = total / 2
    scale = np.sqrt(np.abs(total) + 1.0)
    return total / scale, steps
'''

UPDATES = '''
def smooth(u, times):
    n = len(u)
    v = np.zeros_like(u)
    history = np.zeros(times)
    peak = 0.0
    for k in range(times):
        v[0] = u[0]
        v[n - 1] = u[n - 1]
        for i in range(1, n - 1):
            v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1]
        difference = np.max(np.abs(v - u))
        history[k] = difference
        if difference > peak:
            peak = difference
        u = v.copy()
    total = np.sum(u)
    mean = total / n
    centred = u - mean
    return centred, history, peak
'''

RECORDS = '''
def summary(x, parts, low):
    found = {"low": 0, "high": 0}
    means = []
    size = len(x) // parts
    for k in range(parts):
        piece = x[k * size:(k + 1) * size]
        middle = piece.mean()
        means.append(middle)
        if middle < low:
            found["low"] += 1
        else:
            found["high"] += 1
    scaled = [m / max(abs(low), 1e-9) for m in means]
    total = sum(scaled)
    first, *_, last = means
    slope = (last - first) / parts
    worst = max(piece_mean - low for piece_mean in means)
    found["slope"] = slope
    found["worst"] = worst
    return found, total, np.array(means)
'''

X = np.linspace(1.0, 2.0, 100)
FUNCTIONS: Functions = {
    "elementwise": (ELEMENTWISE, (X, X + 1, X)),
    "branches": (BRANCHES, (X, 0.5, 1.0)),
    "loops": (LOOPS, (np.float64(20.0), np.float64(1e-9))),
    "updates": (UPDATES, (X, 30)),
    "records": (RECORDS, (X, 5, 1.5)),
}
"""Of about twenty lines each."""

KERNELS: Functions = sixty_lines.examples()
"""Of about sixty lines each."""

LINES = {
    "products": "y = y * x + {i}.5",
    "ufuncs": "y = np.sin(y) + {i}.5",
    "stores": "x[{k}] = x[{j}] + {i}.5",
    "slices": "y[{k}:] += {i}.5",
    "mixed": "y = np.where(y > {i}.5, x, y)",
}
"""A line of two operations each."""


def written(text: str, serial: int, numpy: object = np) -> Callable[..., object]:
    """A function made from its text, in a file of its own that `linecache` knows.

    Its parameter has another name every time, so that nothing can be remembered of its text.
    """
    import linecache

    first = re.search(r"\((\w+)", text)
    assert first is not None
    text = re.sub(rf"\b{first[1]}\b", f"{first[1]}_{serial}", text)
    name = f"<latency {serial}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, object] = {"np": numpy, "__name__": "latency"}
    exec(compile(text, name, "exec"), scope)
    return next(x for x in scope.values() if isinstance(x, FunctionType))


@dataclass(frozen=True)
class System:
    """A compiler: what stands for NumPy in its functions, and what makes one ready to run."""

    name: str
    numpy: object
    prepare: Callable[[Callable[..., object], tuple[object, ...]], object]


def systems() -> list[System]:
    """Ours, and the peers that are installed."""
    found = [System("autograph", np, lambda f, args: ag.function(f).get_concrete_function(*args))]
    if (tf := harness.tensorflow()) is not None:
        found.append(System("tf.function", tf.experimental.numpy, lambda f, args: tf.function(
            f).get_concrete_function(*[tf.constant(x) if hasattr(x, "dtype") else x
                                       for x in args])))
    if (jax := harness.jax()) is not None:
        found.append(System("jax.jit", jax.numpy,
                            lambda f, args: jax.jit(f).lower(*args).compile()))
    return found


def first_calls() -> Iterator[tuple[str, int, dict[str, tuple[float, float]]]]:
    """Name, lines, and for each system the least seconds, of the clock and of the processor, until
    a function that is new can run. A system that refuses the function is not among them."""
    serial = itertools.count()
    for name, (text, arguments) in {**FUNCTIONS, **KERNELS}.items():
        times: dict[str, list[tuple[float, float]]] = {}
        for system in systems() * (REPEATS + 3):
            function = written(text, next(serial), system.numpy)
            start = time.perf_counter(), time.process_time()
            try:
                system.prepare(function, arguments)
            except Exception:  # a peer raises what it likes
                continue
            end = time.perf_counter(), time.process_time()
            times.setdefault(system.name, []).append((end[0] - start[0], end[1] - start[1]))
        yield name, len(text.strip().splitlines()), {
            system: (min(clock for clock, _ in found[3:]),
                     min(processor for _, processor in found[3:]))
            for system, found in times.items()}


def first_calls_by_stage(functions: Functions) -> dict[str, dict[str, tuple[float, float]]]:
    """For each function the stages of its first call: median seconds, and how often it comes."""
    serial = itertools.count(1_000)

    def work(text: str, arguments: tuple[object, ...]) -> Callable[[], object]:
        function = written(text, next(serial))
        return lambda: ag.function(function).get_concrete_function(*arguments)

    return {name: stages.split([work(*functions[name]) for _ in range(REPEATS)])
            for name in functions}


def straight_line(count: int, kind: str = "products") -> str:
    """A function that does so many operations in a row, of a kind of `LINES`."""
    lines = ["def long(x):", "    y = x * 1.0"]
    lines += ["    " + LINES[kind].format(i=i, j=i * 7 % 100, k=i % 100) for i in range(count // 2)]
    return "\n".join([*lines, "    return y", ""])


def straight_lines() -> Iterator[tuple[str, int, float]]:
    """Kind, operations, and the seconds of the processor until a function that does them in a row
    can run, the least of five."""
    for kind, count in [(kind, 1000) for kind in LINES] + [("products", n) for n in (250, 4000)]:
        times = []
        for turn in range(5):
            function = written(straight_line(count, kind), 10_000 * count + turn)
            start = time.process_time()
            ag.function(function).get_concrete_function(X.copy())
            times.append(time.process_time() - start)
        yield kind, count, min(times)


def steps(text: str, arguments: tuple[object, ...]) -> int:
    """Calls of functions, Python's and C's, in a first call: a measure that no other program on
    the machine disturbs."""
    count = itertools.count()

    def note(frame: object, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            next(count)

    function = written(text, 999_999)
    sys.setprofile(note)
    try:
        ag.function(function).get_concrete_function(*arguments)
    finally:
        sys.setprofile(None)
    return next(count)


NAMES = {"numpy": "import numpy", "autograph": "import numpy, autograph",
         "ag.function": "import numpy, autograph as ag; ag.function",
         "ag.load": "import numpy, autograph as ag; ag.load"}
"""What is timed: the façade loads what a name needs when it is used for the first time."""


def import_times() -> dict[str, float]:
    """Median seconds of the processor that a process takes for each of `NAMES`, whose byte code is
    on disk, as it is from a user's second import on; all but NumPy's without those of NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(code: str) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        rows = [{name: run(code) for name, code in NAMES.items()} for _ in range(IMPORTS + 1)][1:]
    alone = statistics.median(row["numpy"] for row in rows)
    return {name: statistics.median(row[name] for row in rows) - (alone if name != "numpy" else 0)
            for name in NAMES}


if __name__ == "__main__":
    told = ", ".join(f"{name} {1e3 * x:.0f} ms" for name, x in import_times().items())
    print(f"import            {told} (processor, over NumPy)")
    for name, lines, found in first_calls():
        (ours, _), *_ = found.values()
        cells = [f"{system} {1e3 * clock:.2f} ms (processor {1e3 * processor:.2f}; "
                 f"{clock / ours:.1f}x)" for system, (clock, processor) in found.items()]
        print(f"first call        {name} ({lines} lines) {'   '.join(cells)}")
    for functions in (FUNCTIONS, KERNELS):
        print(stages.table(first_calls_by_stage(functions)))
    for kind, count, seconds in straight_lines():
        print(f"straight line     {count} {kind}: {1e3 * seconds:.0f} ms (processor)")
    for name, (text, arguments) in {**FUNCTIONS, **KERNELS,
                                    **{kind: (straight_line(1000, kind), (X.copy(),))
                                       for kind in LINES}}.items():
        print(f"calls inside      {name}: {steps(text, arguments)}")
