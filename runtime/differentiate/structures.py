"""All adjoints of control flow, indexing and containers: importing this enters them."""

from autograph.runtime.differentiate import indexing as indexing
