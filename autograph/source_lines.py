"""Shows a line of the user's source in errors, with carets under the part that is meant."""

WIDEST = 200
"""So many characters of a line are shown: machines write lines of thousands."""


def with_caret(line: str, column: int, end_column: int | None) -> str:
    """Returns a line and the carets under it; empty if the line is.

    column, end_column  in bytes of UTF-8, as Python counts them; None: to the end of the line.
    """
    text = line.rstrip("\n")
    if not text.strip():
        return ""
    start = len(text.encode()[:column].decode(errors="ignore"))
    stop = len(text.encode()[:end_column].decode(errors="ignore"))
    if len(text) > WIDEST:
        text, start, stop = _clipped(text, start, stop)
    lead = "".join(c if c == "\t" else " " for c in text[:start])
    return f"    {text}\n    {lead}{'^' * max(1, stop - start)}"


def _clipped(text: str, start: int, stop: int) -> tuple[str, int, int]:
    """The part of a long line around a position, and the position in it."""
    first = max(0, min(start - WIDEST // 4, len(text) - WIDEST))
    last = min(len(text), first + WIDEST)
    before, after = "… " if first else "", " …" if last < len(text) else ""
    return (before + text[first:last] + after, start - first + len(before),
            min(stop, last) - first + len(before))
