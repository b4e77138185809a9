"""`python -m autograph`: the command `autograph`."""

import sys

from autograph.tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
