"""The names of the classes in YOLO's data.yaml and LabelImg's classes.txt.

Without a YAML library: the core has none among its dependencies, and four spellings
are all that occur.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn

from ..errors import AnnotationError

COMMENT = re.compile(r"(^|\s)#.*$")
QUOTED = r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\""""
PLAIN = r"""[^\s'"\[\]{},&*!|>%@`?:#-][^\[\]{},]*?"""
SCALAR = re.compile(rf"{QUOTED}|{PLAIN}")
IN_LIST = re.compile(rf"\s*()({QUOTED}|{PLAIN})\s*(?:,|$)")
IN_MAPPING = re.compile(rf"\s*([0-9]{{1,9}})\s*:\s+({QUOTED}|{PLAIN})\s*(?:,|$)")
LIST_ITEM = re.compile(r"(\s*)-\s+(.*)")
MAPPING_ITEM = re.compile(r"(\s+)([0-9]{1,9})\s*:\s+(.*)")


def class_names(text: str) -> dict[int, str]:
    r"""Return the ``names`` of a data.yaml by number.

    Names are taken as they are written: ``no`` and ``1`` are text here.

    Examples
    --------
    >>> class_names("names: [cat, 'big dog']")
    {0: 'cat', 1: 'big dog'}
    >>> class_names("names: {0: cat, 2: dog}")
    {0: 'cat', 2: 'dog'}
    >>> class_names("names:\n- cat\n- dog")
    {0: 'cat', 1: 'dog'}
    >>> class_names("names:\n  1: cat\n  3: dog")
    {1: 'cat', 3: 'dog'}
    """
    lines = [COMMENT.sub("", line).rstrip() for line in text.splitlines()]
    starts = [n for n, line in enumerate(lines) if re.match(r"names\s*:(\s|$)", line)]
    if len(starts) != 1:
        raise AnnotationError(f"must have one entry 'names:', got {len(starts)}")
    (start,) = starts
    rest = lines[start].partition(":")[2].strip()
    if rest.startswith("["):
        return _inline(rest, lines, start, IN_LIST, "]")
    if rest.startswith("{"):
        return _inline(rest, lines, start, IN_MAPPING, "}")
    if rest:
        _refuse(start, rest)
    return _block(lines, start)


def listed_names(text: str) -> dict[int, str]:
    r"""Return the names of a classes.txt, one per line, by number.

    Examples
    --------
    >>> listed_names("cat\nbig dog\n")
    {0: 'cat', 1: 'big dog'}
    """
    names = [line.strip() for line in text.rstrip().splitlines()]
    if "" in names or not names:
        line = names.index("") + 1 if names else 1
        raise AnnotationError(f"line {line}: must be the name of a class, got nothing")
    return dict(enumerate(names))


def unique(names: dict[int, str]) -> dict[int, str]:
    """Return ``names`` if no two classes have the same."""
    twice, count = Counter(names.values()).most_common(1)[0]
    if count > 1:
        raise AnnotationError(f"classes must be unique, got {twice!r} twice")
    return names


def _refuse(line: int, got: str) -> NoReturn:
    raise AnnotationError(
        f"line {line + 1}: names must be a list [a, b], a mapping {{0: a, 1: b}}, "
        f"lines '- a' or lines '0: a', got {got!r}"
    )


def _inline(
    rest: str, lines: list[str], start: int, form: re.Pattern[str], bracket: str
) -> dict[int, str]:
    """Return the names of ``[a, b]`` or ``{0: a}``, which may run over lines."""
    end = start
    while not rest.endswith(bracket):
        end += 1
        if end == len(lines):
            _refuse(start, rest)
        rest = f"{rest} {lines[end].strip()}"
    inner, place = rest[1:-1].strip(), 0
    names: dict[int, str] = {}
    while place < len(inner):
        item = form.match(inner, place)
        number = int(item[1] or len(names)) if item else 0
        if item is None or number in names:
            _refuse(start, inner[place:].strip())
        names[number] = _scalar(item[2], start)
        place = item.end()
    if not names:
        _refuse(start, rest)
    return names


def _block(lines: list[str], start: int) -> dict[int, str]:
    """Return the names of the lines below ``names:``."""
    names: dict[int, str] = {}
    layout: set[tuple[str, str]] = set()  # kind and indentation: one for all
    for n, line in enumerate(lines[start + 1 :], start + 1):
        if not line:
            continue
        if not line.startswith((" ", "\t", "-")) or line == "---":
            break  # the next entry of the file
        item, pair = LIST_ITEM.fullmatch(line), MAPPING_ITEM.fullmatch(line)
        if item:
            number, value = len(names), item[2]
            layout.add(("list", item[1]))
        elif pair:
            number, value = int(pair[2]), pair[3]
            layout.add(("mapping", pair[1]))
        else:
            _refuse(n, line)
        if len(layout) > 1 or number in names:
            _refuse(n, line)
        names[number] = _scalar(value, n)
    if not names:
        _refuse(start, "nothing")
    return names


def _scalar(text: str, line: int) -> str:
    """Return a name without its quotes."""
    if not SCALAR.fullmatch(text):
        _refuse(line, text)
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except json.JSONDecodeError:
            _refuse(line, text)
    if ": " in text or text.endswith(":"):
        _refuse(line, text)
    return text
