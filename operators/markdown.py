"""Text of the user's data within Markdown, shown as it is."""

import re
import string

JOINER = "\N{WORD JOINER}"
"""Has no width; keeps addresses from becoming links."""

_ESCAPED = {ord(c): f"&#{ord(c)};" for c in string.punctuation}
_ADDRESS = re.compile(r"(@|https?:|www)(?=\S)", re.IGNORECASE)


def as_text(value):
    """Return Markdown that shows ``value``, whatever it holds, on one line.

    Examples
    --------
    >>> as_text("a|b <i>")
    'a&#124;b &#60;i&#62;'
    """
    one_line = "".join(c if c.isprintable() else " " for c in str(value))
    return _ADDRESS.sub(rf"\1{JOINER}", one_line).translate(_ESCAPED)


def in_short(name, most=60):
    """Return a name, the middle of a long one left out, so that a table fits.

    Examples
    --------
    >>> in_short("a rater with a long name", 10)
    'a rat…name'
    """
    end = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - end]}…{name[-end:]}"


def table(header, rows):
    """Return a table; cells are Markdown already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
