"""Tables as CSV that spreadsheets show as they are, and run nothing of.

The files begin with a mark of their encoding, without which Excel garbles names.
pandas skips it; elsewhere in Python open them with ``ENCODING``.
"""

import csv
import io
import re

ENCODING = "utf-8-sig"
MARK = "\ufeff"

_FORMULA = re.compile(r"'* *[=+\-@\t\r\n]")


def to_csv(header, rows):
    """Return a table as CSV, to be written in UTF-8.

    None and what is undefined become empty cells.
    """
    text = io.StringIO(newline="")
    text.write(MARK)
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
