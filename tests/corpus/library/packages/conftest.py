"""The programs import packages that may not be installed: only `test_packages.py` reads them."""

collect_ignore_glob = ["*.py"]
