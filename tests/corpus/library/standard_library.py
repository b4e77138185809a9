"""What Python's library computes from values, given symbolic ones; a row for each call."""

import ast
import base64
import calendar
import colorsys
import datetime
import decimal
import fractions
import hashlib
import html
import json
import operator
import pprint
import random
import re
import statistics
import string
import struct
import textwrap
import unicodedata
import urllib.parse
from collections.abc import Callable
from typing import Any

from tests.corpus.arguments import NUMBERS, SCALARS
from tests.corpus.case import titled

DAY = datetime.date(2020, 2, 28)
DIGIT = re.compile(r"\d")
GREETING = string.Template("$who!")
THIRD = fractions.Fraction(1, 3)

OF_FLOATS: dict[str, Callable[[Any], Any]] = {
    "ast": lambda x: ast.literal_eval(str([float(x)])),
    "base64": lambda x: base64.b64encode(str(x).encode()),
    "colorsys": lambda x: colorsys.rgb_to_hsv(abs(x) / 10, 0.5, 0.25),
    "datetime: an interval": lambda x: datetime.timedelta(seconds=float(x)).total_seconds(),
    "decimal": lambda x: str(decimal.Decimal(str(x)) + decimal.Decimal(1)),
    "decimal: a constant first": lambda x: decimal.Decimal(1) / 8 * decimal.Decimal(str(x)),
    "fractions": lambda x: fractions.Fraction(float(x)) * THIRD,
    "fractions: a constant first": lambda x: THIRD + fractions.Fraction(float(x)),
    "fractions: a method": lambda x: fractions.Fraction(float(x)).limit_denominator(7).numerator,
    "hashlib": lambda x: hashlib.sha256(str(x).encode()).hexdigest(),
    "html": lambda x: html.escape(f"<{x}>"),
    "json: written": lambda x: json.dumps({"x": float(x), "all": [int(x), None]}),
    "json: read": lambda x: json.loads(f'{{"x": {x}}}')["x"],
    "json: refused": lambda x: json.dumps(x + 1j),
    "operator: contains": lambda x: operator.contains([1.5, 3.0], x),
    "operator: truth": lambda x: (operator.truth(x), operator.not_(x > 1)),
    "operator: as a callback": lambda x: list(filter(operator.truth, [x, 1.0, 0.0])),
    "pprint": lambda x: pprint.pformat([x]),
    "re: a function": lambda x: re.sub(r"\d", "#", str(x)),
    "re: a method": lambda x: DIGIT.findall(str(x)),
    "re: a branch on a match": lambda x: "negative" if re.match("-", str(x)) else "positive",
    "re: a callback": lambda x: DIGIT.sub(lambda found: f"<{found.group()}>", str(x)),
    "statistics": lambda x: (statistics.mean([x, 1.0, 2.0]), statistics.median([x, 1.0, 2.0])),
    "statistics: generators": lambda x: (
        statistics.mean(v * x for v in (1.0, 2.0)), statistics.fmean(i * x for i in range(3))),
    "string": lambda x: GREETING.substitute(who=x),
    "struct": lambda x: struct.unpack("<d", struct.pack("<d", x)),
    "text: partition": lambda x: str(x).strip("0").partition("."),
    "textwrap": lambda x: textwrap.fill(str(x) * 8, 5),
    "unicodedata": lambda x: unicodedata.name(str(x)[0]),
    "urllib": lambda x: urllib.parse.urlencode({"x": x}),
}
OF_INTS: dict[str, Callable[[Any], Any]] = {
    "calendar": lambda n: calendar.isleap(2000 + n),
    "datetime: arithmetic": lambda n: DAY + datetime.timedelta(days=int(n)),
    "datetime: comparison": lambda n: DAY - datetime.timedelta(days=int(n)) < DAY,
    "statistics: a generator of the run's length": lambda n: statistics.fmean(
        i * 0.5 for i in range(n * n + 1)),
    "statistics: random numbers": lambda n: statistics.fmean(
        random.Random(1).random() for _ in range(n * n + 1)),
    "datetime: a method": lambda n: DAY.replace(year=2000 + int(n)).isoformat(),
    "datetime: refused": lambda n: datetime.date(2020, int(n), 1),
    "hash": lambda n: (hash(n), hash(int(n)), hash((n, 1)) == hash((int(n), 1))),
    "int: a method": lambda n: int(abs(n)).to_bytes(2, "big"),
    "operator: index": lambda n: operator.index(n),
}
CASES = [*(titled(name, function, *SCALARS) for name, function in OF_FLOATS.items()),
         *(titled(name, function, *NUMBERS) for name, function in OF_INTS.items())]
