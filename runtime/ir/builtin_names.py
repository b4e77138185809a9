"""The builtins as Python has them: what generated code calls, whatever a program puts there."""

import builtins
from typing import Any

BUILTINS: dict[str, Any] = dict(vars(builtins))
