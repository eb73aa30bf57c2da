"""Numbers as people read them."""

from math import isnan


def in_digits(number, places=2, sign=False):
    """Return a number rounded, without a sign before a zero; a dash for no number.

    Examples
    --------
    >>> in_digits(-0.001), in_digits(-0.25), in_digits(0.25, sign=True), in_digits(None)
    ('0.00', '−0.25', '+0.25', '–')
    """
    if number is None or isnan(number):
        return "–"
    # Adding 0 to what is rounded leaves no minus before a zero.
    rounded = round(number, places) + 0.0
    form = "+" if sign and rounded else ""
    return f"{rounded:{form}.{places}f}".replace("-", "\N{MINUS SIGN}")


def with_interval(value, low, high, places=2, sign=False, between=" to "):
    """Return a number with its interval, where it has one.

    Ends that are not the same do not look so: there is a digit more if need be.

    Examples
    --------
    >>> with_interval(0.5, 0.4, 0.6), with_interval(0.5, None, None)
    ('0.50 (0.40 to 0.60)', '0.50')
    >>> with_interval(0.011, 0.009, 0.013)
    '0.011 (0.009 to 0.013)'
    """
    if value is None or low is None or isnan(low):
        return in_digits(value, places, sign)
    if low != high and in_digits(low, places) == in_digits(high, places):
        places += 1
    value, low, high = (in_digits(x, places, sign) for x in (value, low, high))
    return f"{value} ({low}{between}{high})"
