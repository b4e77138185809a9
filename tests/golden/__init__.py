"""Texts that the compiler makes, compared with files; `--update-golden` rewrites the files."""
