"""All adjoints of control flow, indexing and containers: importing this enters them."""

from autograph.runtime.differentiate import calls as calls
from autograph.runtime.differentiate import composites as composites
from autograph.runtime.differentiate import containers as containers
from autograph.runtime.differentiate import decompositions as decompositions
from autograph.runtime.differentiate import forward_indexing as forward_indexing
from autograph.runtime.differentiate import forward_regions as forward_regions
from autograph.runtime.differentiate import indexing as indexing
from autograph.runtime.differentiate import repeated as repeated
from autograph.runtime.differentiate import reverse_kept as reverse_kept
from autograph.runtime.differentiate import reverse_regions as reverse_regions
from autograph.runtime.differentiate import user_rules as user_rules
from autograph.runtime.differentiate import variables as variables
