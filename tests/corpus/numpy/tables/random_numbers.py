"""Random numbers: the stream of plain NumPy, drawn when the graph runs, in program order."""

METHODS = [
    "random()", "random(3)", "random((2, 2))", "random(x.shape)", "normal()", "normal(size=3)",
    "normal(0, 1, 3)", "normal(s, 1.0)", "normal(v, 1.0)", "normal(size=(n, 2))",
    "normal(v, 0.5, size=(2, 3))", "uniform(0, 1)", "uniform(-1, 1, size=(2, 2))",
    "uniform(v, v + 1)", "standard_normal(4)", "exponential(2.0, 3)", "poisson(3, 4)",
    "binomial(5, 0.5, size=3)", "gamma(2.0, size=2)", "beta(1, 2)", "choice(5)", "choice(v)",
    "choice(v, 2)", "choice(5, size=3, replace=False)", "choice(v, n)",
    "choice(x.shape[1], p=[0.2, 0.3, 0.5])", "permutation(5)", "permutation(v)", "permutation(x)",
    "permutation(n)", "multivariate_normal(v, q)", "multinomial(5, [0.5, 0.5])",
    "dirichlet([1, 2])", "lognormal(size=2)", "chisquare(3, 2)", "laplace(0, 1, 2)",
    "geometric(0.5, 2)", "vonmises(0, 1)", "weibull(2.0, 2)", "bytes(3)",
]
ROWS = [
    *(f"np.random.default_rng(7).{m}" for m in METHODS),
    *(f"np.random.RandomState(7).{m}" for m in METHODS),
    *(f"np.random.seed(7); return np.random.{m}" for m in METHODS),
    "rng = np.random.default_rng(0); return rng.normal(), rng.normal(), rng.integers(10)",
    "rng = np.random.default_rng(0); a = rng.normal(size=3); b2 = rng.normal(size=3); "
    "return b2 - a + v",
    "rng = np.random.default_rng(n); return rng.random(2)",
    "rng = np.random.default_rng(); return rng.random(2).shape",
    "rng = np.random.default_rng(0); return rng.integers(0, 10, size=5)",
    "np.random.default_rng(0).integers(n)", "np.random.default_rng(0).integers(0, n, size=(2, 2))",
    "np.random.default_rng(0).integers(0, 2, 4, dtype=np.uint8)",
    "np.random.default_rng(0).integers(1, 6, endpoint=True)",
    "np.random.default_rng(0).random(3, dtype=np.float32)",
    "np.random.default_rng(0).standard_normal(out=v); return v",
    "o = np.zeros(3); np.random.default_rng(0).random(out=o); return o",
    "np.random.seed(0); return np.random.rand(2, 3)", "np.random.seed(0); return np.random.rand()",
    "np.random.seed(0); return np.random.randn(3)",
    "np.random.seed(0); return np.random.randint(5)",
    "np.random.seed(0); return np.random.randint(0, 9, 4)",
    "np.random.seed(0); return np.random.randint(n, size=3)",
    "np.random.seed(0); return np.random.random_sample(2)",
    "np.random.seed(0); return np.random.rand(n)",
    "np.random.seed(n); return np.random.rand(n) + np.random.rand(n)",
    "np.random.seed(1); np.random.shuffle(v); return v",
    "np.random.seed(1); np.random.shuffle(x); np.random.shuffle(x); return x",
    "np.random.seed(1); a = v.copy(); np.random.shuffle(a); return a, v",
    "rng = np.random.default_rng(1); rng.shuffle(u); return u",
    "rng = np.random.default_rng(1); rng.shuffle(x, axis=1); return x",
    "rng = np.random.default_rng(1); return rng.permuted(x, axis=1)",
    "rng = np.random.default_rng(1); return [rng.random() for i2 in range(4)]",
    "rng = np.random.default_rng(1)\n"
    "t0 = 0.0\n"
    "for i2 in range(20): t0 += rng.normal()\n"
    "return t0",
    "rng = np.random.default_rng(1)\n"
    "if s > 0: a = rng.normal()\n"
    "else: a = rng.uniform()\n"
    "return a, rng.random()",
    "rng = np.random.default_rng(2)\n"
    "hits = 0\n"
    "for i2 in range(n * 10):\n"
    "    a, b2 = rng.random(2)\n"
    "    if a * a + b2 * b2 < 1: hits += 1\n"
    "return hits",
    "np.random.seed(3)\n"
    "k0 = 0\n"
    "while np.random.rand() < 0.8: k0 += 1\n"
    "return k0 + s",
    "np.random.seed(3); np.random.rand(2); return np.random.rand() * v",
    "rng = np.random.default_rng(0); rng.random(3); return rng.random()",
    "a = np.random.default_rng(0).random(); b2 = np.random.default_rng(0).random(); "
    "return a == b2",
    "rng = np.random.default_rng(0); return rng.normal(size=2) if s > 0 else v",
    "rng = np.random.Generator(np.random.PCG64(5)); return rng.random(2)",
    "rng = np.random.default_rng(np.random.SeedSequence(5)); return rng.random(2)",
    "random.seed(0); return random.random(), random.random()",
    "random.seed(0); return random.uniform(0, s)",
    "random.seed(0); return random.randint(1, 6) + n",
    "random.seed(0); return random.gauss(0, 1) * v",
    "rng = random.Random(4); return rng.random(), rng.randrange(10)",
    "random.seed(0); return [random.choice([1, 2, 3]) for i2 in range(3)]",
    "a = time.perf_counter(); return time.perf_counter() >= a", "time.time() > 0",
]
