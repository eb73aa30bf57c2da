"""What operators may be asked for: checked, and made plain, before anything is done.

A rule takes the name of a parameter and what was given. It returns the value as plain
Python, so that numpy's numbers and paths can be stored and queued, or raises.
"""

import inspect
import math
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from numbers import Integral, Real

import fiftyone as fo
import numpy as np
from fiftyone.core.collections import SampleCollection
from fiftyone.core.odm import get_db_conn

from ..kalos_core import KalosError
from .views import is_whole

LONGEST = 120
"""Characters of a wrong value that a message shows."""


def checked(rules):
    """Return a decorator that applies rules to the arguments of a call.

    None stands for "not given" where it is the default.
    """

    def decorate(call):
        signature = inspect.signature(call)

        @wraps(call)
        def with_rules(*args, **kwargs):
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                raise KalosError(_misfit(signature, args, kwargs)) from None
            for name, value in bound.arguments.items():
                is_left_out = (
                    value is None and signature.parameters[name].default is None
                )
                if name in rules and not is_left_out:
                    bound.arguments[name] = rules[name](name, value)
            return call(*bound.args, **bound.kwargs)

        return with_rules

    return decorate


def _misfit(signature, args, kwargs):
    """Return why arguments do not fit an operator, the first of them, in words."""
    operator, known = args[0].config.name, list(signature.parameters)[1:]
    taken, unknown = known[: len(args) - 1], [n for n in kwargs if n not in known]
    twice = [name for name in taken if name in kwargs]
    lacking = [
        name
        for name in known
        if signature.parameters[name].default is inspect.Parameter.empty
        and name not in (*taken, *kwargs)
    ]
    if len(args) - 1 > len(known):
        why = f"takes at most {len(known)} arguments, got {len(args) - 1}."
    elif unknown:
        why = f"has no parameter '{unknown[0]}'.{nearest(unknown[0], known)}"
    elif twice:
        why = f"is given its parameter '{twice[0]}' twice."
    else:
        why = f"needs its parameter '{lacking[0]}'."
    return f"{operator} {why} Its parameters are: {', '.join(known)}."


def sorted_out(params, rules):
    """Return the parameters that a form may use, and the first error or None.

    What is empty counts as not given; what breaks its rule is left out.
    """
    usable, problem = {}, None
    for name, value in params.items():
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        try:
            usable[name] = rules[name](name, value) if name in rules else value
        except KalosError as error:
            problem = problem or error
    return usable, problem


def samples(name, value):
    """Return a data set or view that is there."""
    if not isinstance(value, SampleCollection):
        raise KalosError(
            f"A data set or a view is expected, got {_shown(value)}. Load a data set "
            "by its name with fiftyone.load_dataset(...)"
        )
    # A data set that was deleted refuses to be asked for anything else.
    is_gone = isinstance(value, fo.Dataset) and value.deleted
    dataset = None if is_gone else value._root_dataset
    if is_gone or dataset.deleted or not _is_stored(dataset):
        raise KalosError(
            "This data set was deleted. Load one that is there: "
            "fiftyone.list_datasets() names them."
        )
    return value


def _is_stored(dataset):
    """Return whether no other process deleted it."""
    return bool(get_db_conn().datasets.find_one({"_id": dataset._doc.id}, {"_id": 1}))


def data_set(name, value):
    """Return a whole data set; a view of some of it would be ignored in silence."""
    dataset = samples(name, value)._root_dataset
    if not is_whole(value):
        raise KalosError(
            f"{name} must be a whole data set, got a view of some of "
            f"'{dataset.name}'. Give the data set itself; a run knows its samples."
        )
    return dataset


def whole(least, example):
    """Return the rule of a whole number."""

    def rule(name, value):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise _wrong(name, f"a whole number from {least} on", value, example)
        return int(value)

    return rule


def number(least, most, example, expected=None, finite=False):
    """Return the rule of a number in a range; ``expected`` says it in other words."""
    words = expected or f"a number from {least} {_to(most)}"

    def rule(name, value):
        if not _is_number(value) or not least <= value <= most:
            raise _wrong(name, words, value, example)
        if finite and math.isinf(value):
            raise _wrong(name, f"{words}, and finite", value, example)
        return float(value)

    return rule


def numbers(rule_of_each, always=False):
    """Return the rule of a number, or several: a list, or "3, 2" as forms have it.

    Parameters
    ----------
    always : whether a single one is a list too.
    """

    def rule(name, value):
        given = value
        if isinstance(value, str):
            given = [_parsed(part) for part in value.replace(",", " ").split()]
        items = _items(given)
        if items is None:
            return (rule_of_each(name, value),) if always else rule_of_each(name, value)
        return tuple(rule_of_each(name, one) for one in items)

    return rule


def _parsed(part):
    """Return a text as the number that it is, else as it is."""
    try:
        return int(part) if part.isdigit() else float(part)
    except ValueError:
        return part


def pair(name, value):
    """Return a range of numbers, the lower one first."""
    ends = _items(value) or ()
    if len(ends) != 2 or not all(map(_is_number, ends)) or not ends[0] <= ends[1]:
        raise _wrong(name, "two numbers, the lower one first", value, (0, 0.5))
    return float(ends[0]), float(ends[1])


def flag(name, value):
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(name, "True or False", value, True)
    return bool(value)


def text(example):
    """Return the rule of a text that is not empty."""

    def rule(name, value):
        if not isinstance(value, str) or not value.strip():
            raise _wrong(name, "a text", value, example)
        return str(value)

    return rule


run_key = text("kalos")


def path_like(example, expected="given as a path"):
    """Return the rule of a path, or of names beside it, that becomes text."""

    def rule(name, value):
        given = os.fspath(value) if isinstance(value, os.PathLike) else value
        if not isinstance(given, str) or not given.strip() or "\0" in given:
            raise _wrong(name, expected, value, example)
        return str(given)

    return rule


path = path_like("audit")


def path_or_flag(name, value):
    """Return a path as text, or True or False."""
    return (
        flag(name, value) if isinstance(value, (bool, np.bool_)) else path(name, value)
    )


def choice(known, what=None):
    """Return the rule of a name among known ones."""

    def rule(name, value):
        if not isinstance(value, str) or value not in known:
            raise KalosError(
                f"unknown {what or name} {_shown(value)}; choose from "
                f"{', '.join(sorted(known))}.{nearest(value, known)}"
            )
        return str(value)

    return rule


def names(example, least=1, most=None, each=None, expected=None, numbered=False):
    """Return the rule of a list of names; a single one may be given as it is.

    Parameters
    ----------
    each : a rule for every name.
    numbered : whether a whole number is a name too, as of raters.
    """
    kinds = (str, Integral) if numbered else (str,)
    several = f"a list of at least {least} names" if least > 1 else None
    words = (
        expected
        or several
        or (f"at most {most} names" if most else "a name or a list of names")
    )

    def rule(name, value):
        given = (value,) if isinstance(value, kinds) else _items(value)
        if not _are_names(given, kinds) or not least <= len(given) <= (
            most or math.inf
        ):
            raise _wrong(name, words, value, list(example))
        found = tuple(str(one) for one in given)
        return tuple(each(name, one) for one in found) if each else found

    return rule


def nearest(name, known):
    """Return a sentence that proposes the known name most like this one, or nothing."""
    alike = get_close_matches(name, list(known), 1) if isinstance(name, str) else ()
    return f" Did you mean {alike[0]!r}?" if alike else ""


def _items(value):
    """Return the items of what is a list in some way, else None."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return None
    return tuple(value)


def _is_number(value):
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and not math.isnan(value)


def _are_names(items, kinds):
    return items is not None and all(
        isinstance(one, kinds) and not isinstance(one, bool) and str(one).strip()
        for one in items
    )


def _to(most):
    return "on" if most == math.inf else f"to {most}"


def _wrong(name, expected, value, example):
    return KalosError(
        f"{name} must be {expected}, got {_shown(value)}. "
        f"Write {name}={example!r}, say."
    )


def _shown(value):
    words = repr(value)
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
