"""`python -m autograph`: the command `autograph`."""

import sys

if __name__ == "__main__":
    try:
        from autograph.tools.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(main())
