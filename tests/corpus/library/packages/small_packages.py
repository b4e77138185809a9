"""Programs with attrs, jinja2, lmfit, more-itertools, mpmath, shapely, sympy, toolz and others."""

import attrs
import bottleneck as bn
import jinja2
import lmfit
import more_itertools as mi
import mpmath
import numexpr
import numpy as np
import shapely
import sympy
import toolz
import uncertainties
import xarray as xr
from shapely.geometry import LineString, Point, Polygon
from toolz import curried
from uncertainties import unumpy


@attrs.define
class Particle:
    place: float
    speed: float = attrs.field(default=0.0)
    path: list = attrs.Factory(list)

    def step(self, dt):
        self.place = self.place + dt * self.speed
        if self.place < 0:
            self.place, self.speed = -self.place, -self.speed
        self.path.append(self.place)


@attrs.frozen
class Limits:
    low: float
    high: float = attrs.field()

    @high.validator
    def _check(self, attribute, value):
        if value < self.low:
            raise ValueError(f"{attribute.name} is below {self.low}")


def particles(x):
    all_ = [Particle(x[0], x[1]), Particle(x[2], x[3])]
    for p in all_:
        for _ in range(3):
            p.step(0.5)
    return [attrs.asdict(p) for p in all_]


def validated(x):
    return Limits(x[0], x[1]).high


def validated_caught(x):
    try:
        return Limits(x[0], x[1]).high
    except ValueError as e:
        return str(e)


def evolved(x):
    p = Limits(-100.0, x[0])
    q = attrs.evolve(p, high=x[1])
    return q.high if q > p else p.high, p == q


@attrs.define(order=True)
class Scaled:
    low: float
    high: float = attrs.field(default=2.0, converter=lambda v: v * 2 if v > 0 else v)


def ordered(x):
    p, q = Scaled(x[0]), Scaled(x[1], x[2])
    return p > q, sorted([q, p]), attrs.asdict(attrs.evolve(p, high=x[3]))


def set_by_a_converter(x, made):
    made.high = x[0]
    return made.high, made < Scaled(x[1])


def template(x):
    t = jinja2.Template("{% for v in x if v > 0 %}{{ v }};{% endfor %}{{ name|upper }}")
    return t.render(x=x, name="big" if x.sum() > 5 else "small")


def template_undefined(x):
    t = jinja2.Template("{{ a.b }}", undefined=jinja2.StrictUndefined)
    return t.render(a={"b": x[0]}) if x[0] > 0 else t.render()


def lmfit_model(x):
    t = np.linspace(0, 2, 6)
    p = lmfit.Parameters()
    p.add("a", value=1.0, min=-10)
    p.add("b", value=0.5, vary=bool(x[0] > 0))
    r = lmfit.minimize(lambda p: p["a"] * t + p["b"] - 3 * t - 1, p)
    return r.success, {k: round(v.value, 4) for k, v in r.params.items()}


def windows(x):
    out = []
    for a, b, c in mi.windowed(x, 3):
        if b > a and b > c:
            out.append(b)
    return out, list(mi.chunked(x, 4)), mi.first(x), mi.nth(x, 2)


def split_where(x):
    return list(mi.split_when(x, lambda a, b: b < a)), [len(r) for r in mi.split_at(
        x, lambda v: v < 0)]


def partitioned(x):
    no, yes = mi.partition(lambda v: v > 1, x)
    return list(no), list(yes), mi.all_equal(x), mi.ilen(v for v in x if v > 0)


def peeked(x):
    p = mi.peekable(x)
    out = []
    while p:
        v = next(p)
        if p and p.peek() > v:
            out.append(v)
    return out


def bucketed(x):
    b = mi.bucket(x, key=lambda v: "pos" if v > 0 else "neg")
    return {k: list(b[k]) for k in sorted(b)}


def run_lengths(x):
    return list(mi.run_length.encode(x > 0)), mi.minmax(x), list(mi.locate(x, lambda v: v > 2))


def grouped_by_sign(x):
    g = toolz.groupby(lambda v: bool(v > 0), x)
    return {k: sum(v) for k, v in g.items()}, toolz.valmap(len, g)


def piped(x):
    return toolz.pipe(x, curried.filter(lambda v: v > 0), curried.map(lambda v: v * v), list)


def merged(x):
    d = toolz.merge({"a": x[0]}, {"b": x[1]})
    if d["a"] > 0:
        d = toolz.assoc(d, "c", x[2])
    return d, toolz.get_in(["c"], d, "none"), list(toolz.sliding_window(2, x))


def accumulated(x):
    return list(toolz.accumulate(lambda a, b: a + b if b > 0 else a, x)), toolz.frequencies(
        v > 0 for v in x), toolz.compose(abs, lambda v: v - 1)(x[0])


def folded(x):
    return toolz.reduceby(lambda v: int(v) % 2, lambda a, b: max(a, b), x, -9.0)


def memoized(x):
    @toolz.memoize
    def f(n):
        return n if n < 2 else f(n - 1) + f(n - 2)

    return f(int(abs(x[0])) + 5) * x[1]


def symbols(x):
    t = sympy.Symbol("t")
    roots = sympy.solve(t ** 2 - int(x[0]) ** 2, t)
    return [int(r) for r in roots], str(sympy.diff(sympy.sin(t) * int(x[1]), t))


def lambdified(x):
    t = sympy.Symbol("t")
    f = sympy.lambdify(t, sympy.Piecewise((t ** 2, t > 0), (-t, True)), "numpy")
    return f(x)


def simplified(x):
    a, b = sympy.symbols("a b")
    e = sympy.expand((a + b) ** int(abs(x[0]) + 1))
    return str(e), float(e.subs({a: float(x[1]), b: float(x[2])}))


def precise(x):
    with mpmath.workdps(30):
        r = mpmath.findroot(lambda t: t ** 3 - abs(float(x[0])) - 1, 1.0)
        return str(r) if r > 1.3 else float(r)


def precise_sum(x):
    s = mpmath.mpf(0)
    for v in x:
        if v > 0:
            s += mpmath.mpf(float(v)) / 3
    return str(s), float(mpmath.quad(lambda t: t * float(x[0]), [0, 1]))


def with_errors(x):
    a, b = uncertainties.ufloat(x[0], 0.1), uncertainties.ufloat(x[1], 0.2)
    c = a * b + a
    if c.n > 0:
        return c.n, round(c.s, 9)
    return str(c)


def arrays_with_errors(x):
    u = unumpy.uarray(x, np.full(6, 0.1))
    m = u.mean()
    return m.n, round(m.s, 9), unumpy.nominal_values(u * 2), m > 1


def labelled_arrays(x):
    a = xr.DataArray(x.reshape(2, 3), dims=("r", "c"), coords={"c": [10, 20, 30]})
    m = a.mean("r")
    if m.sel(c=20) > 0:
        return m.values, a.sel(c=30).values, m.dims
    return float(a.max()), a.argmax().item()


def datasets(x):
    d = xr.Dataset({"v": ("t", x)}, coords={"t": np.arange(6)})
    d["w"] = d.v * 2
    d = d.where(d.v > 0, drop=True)
    return d.w.values, dict(d.sizes), sorted(d.data_vars)


def shapes(x):
    p = Polygon([(0, 0), (x[0], 1), (x[1], 3), (-1, 2)])
    if not p.is_valid:
        p = p.buffer(0)
    return round(p.area, 9), p.contains(Point(0.1, 1.0)), p.geom_type


def lines_crossed(x):
    a, b = LineString([(0, x[0]), (5, x[1])]), LineString([(0, 0), (5, 1)])
    c = a.intersection(b)
    return (round(c.x, 9), round(c.y, 9)) if not c.is_empty else a.distance(b)


def points_many(x):
    p = shapely.points(x, x[::-1])
    inside = shapely.contains(shapely.box(0, 0, 3, 3), p)
    return inside, [(q.x, q.y) for q, i in zip(p, inside) if i]


def evaluated(x):
    y = numexpr.evaluate("a * 2 + b", local_dict={"a": x, "b": x[::-1]})
    return y if y[0] > 0 else -y


def fast_means(x):
    y = np.where(x < 0, np.nan, x)
    return bn.nanmean(y), bn.move_mean(x, 3, min_count=1), bn.rankdata(x) if bn.anynan(y) else None


SETS = {"set_by_a_converter": [(np.array([v, 2.0]), Scaled(1.0)) for v in (1.0, -1.0, 4.0)]}
