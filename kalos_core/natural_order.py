"""Names in the order in which people look for them: "rater 2" before "rater 10"."""

from __future__ import annotations

import re

DIGITS = re.compile(r"(\d+)")


def natural(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Return the key to sort a name by: numbers in it count as numbers.

    Examples
    --------
    >>> sorted(["rater 10", "rater 2", "ana"], key=natural)
    ['ana', 'rater 2', 'rater 10']
    """
    # Texts and digits alternate, so that texts are only compared with texts. Digits
    # are never made a number, as Python refuses numbers of thousands of digits.
    parts: list[str | tuple[int, str]] = []
    for n, part in enumerate(DIGITS.split(name)):
        number = part.lstrip("0")
        parts.append((len(number), number) if n % 2 else part)
    return parts, name
