"""Tables as CSV that spreadsheets open without taking text for formulas."""

import csv
import io
import re

_FORMULA = re.compile(r"'* *[=+\-@\t\r\n]")


def to_csv(header, rows):
    """Return a table as CSV; None and what is undefined become empty cells."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(harmless, header))
    writer.writerows(map(harmless, row) for row in rows)
    return text.getvalue()


def harmless(value):
    """Return a cell; an apostrophe goes before text that could be a formula.

    Numbers stay as they are. Text that begins with apostrophes and then a sign of a
    formula gets one more, so that ``as_written`` can undo it.

    Examples
    --------
    >>> harmless("=1+1"), harmless(-1.5), harmless("'tis"), harmless("'=x")
    ("'=1+1", -1.5, "'tis", "''=x")
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def as_written(cell):
    """Return the text that ``harmless`` was given.

    Examples
    --------
    >>> as_written("'=1+1"), as_written("'tis"), as_written("''=x")
    ('=1+1', "'tis", "'=x")
    """
    marked = cell.startswith("'") and _FORMULA.match(cell)
    return cell[1:] if marked else cell
