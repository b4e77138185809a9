"""Data as people have it: tables, dates, texts, pictures, histograms, windows, gaps."""

import warnings

import numpy as np

from tests.corpus.case import Case


def running_mean(x, width):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[width:] - total[:-width]) / width


def windows(x, width):
    seen = np.lib.stride_tricks.sliding_window_view(x, width)
    return seen.max(axis=-1), seen.min(axis=-1), seen[::2].sum()


def exponential_smoothing(x, alpha):
    out = np.empty_like(x)
    out[0] = x[0]
    for t in range(1, len(x)):
        out[t] = alpha * x[t] + (1 - alpha) * out[t - 1]
    return out


def fill_gaps(x):
    known = ~np.isnan(x)
    if not known.any():
        return np.zeros_like(x)
    x[~known] = np.interp(np.flatnonzero(~known), np.flatnonzero(known), x[known])
    return x


def carry_forward(x):
    last = np.where(np.isnan(x), 0, np.arange(len(x)))
    np.maximum.accumulate(last, out=last)
    return x[last]


def outliers(x, limit):
    z = np.abs(x - np.median(x)) / (np.median(np.abs(x - np.median(x))) + 1e-12)
    return x[z < limit], np.flatnonzero(z >= limit), np.clip(x, *np.percentile(x, [10, 90]))


def by_group(keys, values):
    names, where = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(names))
    np.add.at(sums, where, values)
    counts = np.bincount(where)
    largest = np.full(len(names), -np.inf)
    np.maximum.at(largest, where, values)
    return names, sums / counts, largest


def run_lengths(x):
    edges = np.flatnonzero(np.diff(x)) + 1
    starts = np.concatenate(([0], edges))
    return x[starts], np.diff(np.append(starts, len(x)))


def longest_run(x):
    best = current = 0
    for i in range(1, len(x)):
        current = current + 1 if x[i] > x[i - 1] else 0
        best = max(best, current)
    return best + 1


def histogram_by_hand(x, bins):
    edges = np.linspace(x.min(), x.max(), bins + 1)
    places = np.clip(np.digitize(x, edges) - 1, 0, bins - 1)
    counts = np.zeros(bins, dtype=int)
    for p in places:
        counts[p] += 1
    return counts, edges, np.histogram(x, bins)[0]


def equalise(image):
    counts = np.bincount(image.ravel(), minlength=8)
    cdf = counts.cumsum()
    first = cdf[cdf > 0][0]
    return (np.round((cdf - first) / max(cdf[-1] - first, 1) * 7).astype(np.uint8))[image]


def convolve2d(image, kernel):
    h, w = kernel.shape
    padded = np.pad(image, ((h // 2,), (w // 2,)), mode="edge")
    out = np.zeros(image.shape)
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * padded[i:i + image.shape[0], j:j + image.shape[1]]
    return out


def median_filter(image):
    out = image.copy()
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = np.median(image[i - 1:i + 2, j - 1:j + 2])
    return out


def threshold(image):
    level = image.mean()
    for _ in range(20):
        low, high = image[image <= level], image[image > level]
        if low.size == 0 or high.size == 0:
            break
        new = (low.mean() + high.mean()) / 2
        if abs(new - level) < 0.5:
            break
        level = new
    return level, np.where(image > level, 255, 0).astype(np.uint8)


def dither(image):
    image = image.astype(float)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            old = image[i, j]
            image[i, j] = 255 if old > 127 else 0
            error = old - image[i, j]
            if j + 1 < image.shape[1]:
                image[i, j + 1] += error * 7 / 16
            if i + 1 < image.shape[0]:
                image[i + 1, j] += error * 5 / 16
    return image


def flood(grid, start, colour):
    old = grid[start]
    if old == colour:
        return 0
    stack, count = [start], 0
    while stack:
        i, j = stack.pop()
        if not (0 <= i < grid.shape[0] and 0 <= j < grid.shape[1]) or grid[i, j] != old:
            continue
        grid[i, j] = colour
        count += 1
        stack += [(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)]
    return count


def bilinear(image, y, x):
    i, j = np.floor(y).astype(int), np.floor(x).astype(int)
    i, j = np.clip(i, 0, image.shape[0] - 2), np.clip(j, 0, image.shape[1] - 2)
    a, b = y - i, x - j
    return ((1 - a) * (1 - b) * image[i, j] + (1 - a) * b * image[i, j + 1]
            + a * (1 - b) * image[i + 1, j] + a * b * image[i + 1, j + 1])


def raise_salaries(people, factor):
    old = people["age"] > 40
    people["salary"][old] *= factor
    people["age"] += 1
    return people[np.argsort(people["salary"])]["name"], people["salary"].mean()


def join_tables(people, extra):
    out = np.zeros(len(people), dtype=[("age", int), ("bonus", float)])
    out["age"] = people["age"]
    for i, person in enumerate(people):
        if person["age"] in extra:
            out[i]["bonus"] = person["salary"] / 10
    return out


def working_days(days):
    weekday = (days.astype("datetime64[D]").view("int64") - 4) % 7
    return np.sum(weekday < 5), days[weekday >= 5], np.busday_count(days[0], days[-1])


def month_totals(days, amounts):
    months = days.astype("datetime64[M]")
    names = np.unique(months)
    return names, np.array([amounts[months == m].sum() for m in names])


def overdue(days, today):
    late = (today - days).astype(int)
    return np.where(late > 0, late, 0), days + np.timedelta64(14, "D"), days.max() - days.min()


def clean_names(names):
    names = np.char.strip(names)
    return np.char.capitalize(names), np.char.str_len(names), names[np.char.startswith(names, "a")]


def count_letters(text):
    codes = np.frombuffer(text.encode(), dtype=np.uint8)
    letters = codes[(codes >= 97) & (codes <= 122)] - 97
    return np.bincount(letters, minlength=26)


def caesar(codes, shift):
    letters = (codes >= 97) & (codes <= 122)
    codes[letters] = (codes[letters] - 97 + shift) % 26 + 97
    return "".join(chr(c) for c in codes)


def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    table[:, 0], table[0] = np.arange(len(a) + 1), np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1,
                              table[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
    return table[-1, -1]


def safe_ratio(a, b):
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = a / b
    ratio[~np.isfinite(ratio)] = 0
    return ratio


def strict_log(x):
    with np.errstate(all="raise"):
        try:
            return np.log(x)
        except FloatingPointError:
            return np.full_like(x, -1)


def raised_half_way(x):
    x += 1
    with np.errstate(all="raise"):
        x /= x[0]
    return x


def silenced_half_way(x, k):
    x += 1
    with np.errstate(all="ignore"):
        x /= x[0]
        x[k] = 3.0
    return x


def warned_mean(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.nanmean(x), np.nanmax(np.append(x, 0.0))


def masked_statistics(x, bad):
    kept = np.ma.masked_where(bad, x)
    return float(kept.mean()), kept.filled(0), int(kept.count())


def pack_bits(flags):
    packed = np.packbits(flags)
    return packed, np.unpackbits(packed)[:len(flags)], int(packed.sum()) & 0xF


def distances_on_earth(lat, lon):
    lat, lon = np.radians(lat), np.radians(lon)
    dlat, dlon = lat[:, None] - lat, lon[:, None] - lon
    a = np.sin(dlat / 2) ** 2 + np.cos(lat)[:, None] * np.cos(lat) * np.sin(dlon / 2) ** 2
    return np.round(2 * 6371 * np.arcsin(np.sqrt(a)), 3)


SERIES = np.array([1.0, 3.0, 2.0, 8.0, 2.0, 2.0, 5.0, 7.0])
GAPS = np.array([1.0, np.nan, np.nan, 4.0, np.nan, 6.0])
PICTURE = (np.arange(30).reshape(5, 6) * 37 % 256).astype(np.uint8)
PEOPLE = np.array([("Ann", 30, 100.0), ("Bob", 50, 200.0), ("Cid", 45, 150.0)],
                  dtype=[("name", "U5"), ("age", int), ("salary", float)])
DAYS = np.array(["2024-01-05", "2024-01-06", "2024-02-01", "2024-02-10"], dtype="datetime64[D]")

CASES = [
    Case(raised_half_way, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),)),
    Case(silenced_half_way, (np.array([1.0, 2.0]), 1), (np.array([-1.0, 2.0]), 2)),
    Case(running_mean, (SERIES, 3), (SERIES[::-1], 3)),
    Case(windows, (SERIES, 3), (-SERIES, 3)),
    Case(exponential_smoothing, (SERIES, 0.5), (SERIES * 2, 0.5)),
    Case(fill_gaps, (GAPS,), (np.full(6, np.nan),)),
    Case(carry_forward, (GAPS,), (np.arange(6.0),)),
    Case(outliers, (SERIES, 3.0), (np.ones(8), 3.0)),
    Case(by_group, (np.array([3, 1, 3, 2]), SERIES[:4]), (np.array([1, 1, 1, 1]), SERIES[4:])),
    Case(run_lengths, (np.array([1, 1, 2, 2, 2, 3]),), (np.array([5, 5, 5, 5, 5, 5]),)),
    Case(longest_run, (SERIES,), (np.arange(8.0),)),
    Case(histogram_by_hand, (SERIES, 4), (SERIES ** 2, 4)),
    Case(equalise, (PICTURE // 32,), (np.full((5, 6), 3, np.uint8),)),
    Case(convolve2d, (PICTURE, np.ones((3, 3)) / 9), (PICTURE[::-1], np.eye(3))),
    Case(median_filter, (PICTURE,), (PICTURE * 2,)),
    Case(threshold, (PICTURE,), (np.zeros((5, 6), np.uint8),)),
    Case(dither, (PICTURE,), (255 - PICTURE,)),
    Case(flood, (PICTURE // 128, (0, 0), 7), (PICTURE // 200, (0, 0), 7)),
    Case(bilinear, (PICTURE, np.array([0.5, 3.9]), np.array([1.25, 4.5])),
         (PICTURE, np.array([4.0, 0.0]), np.array([5.0, 0.1]))),
    Case(raise_salaries, (PEOPLE, 1.1), (PEOPLE[::-1].copy(), 1.1)),
    Case(join_tables, (PEOPLE, np.array([30, 45])), (PEOPLE, np.array([1, 2]))),
    Case(working_days, (DAYS,), (DAYS + np.timedelta64(2, "D"),)),
    Case(month_totals, (DAYS, np.arange(4.0)), (DAYS + np.timedelta64(25, "D"), np.ones(4))),
    Case(overdue, (DAYS, np.datetime64("2024-02-01")), (DAYS, np.datetime64("2023-02-01"))),
    Case(clean_names, (np.array([" ann", "bob ", "al"]),), (np.array(["aa", " b", "  "]),)),
    Case(count_letters, ("hello world",), ("",)),
    Case(caesar, (np.frombuffer(b"attack at dawn", np.uint8).copy(), 3),
         (np.frombuffer(b"zzz ZZZ zzz 12", np.uint8).copy(), 3)),
    Case(edit_distance, (np.array([1, 2, 3, 4]), np.array([2, 3, 5])),
         (np.array([1, 1, 1, 1]), np.array([1, 1, 1]))),
    Case(safe_ratio, (SERIES, np.array([0.0, 1, 2, 0, 1, 1, 1, 1])), (np.zeros(8), np.zeros(8))),
    Case(strict_log, (SERIES,), (SERIES - 1,)),
    Case(warned_mean, (GAPS,), (np.full(6, np.nan),)),
    Case(masked_statistics, (SERIES, SERIES > 4), (SERIES, SERIES > 7)),
    Case(pack_bits, (np.array([True, False, True, True, False]),), (np.zeros(5, bool),)),
    Case(distances_on_earth, (np.array([52.5, 48.9, 40.7]), np.array([13.4, 2.35, -74.0])),
         (np.array([0.0, 0.0, 90.0]), np.array([0.0, 180.0, 0.0]))),
]
