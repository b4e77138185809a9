"""The report on a function, line by line: `f.explain()`, its text and its page."""

from autograph.explain.explanation import Explanation as Explanation
from autograph.explain.explanation import explain as explain
