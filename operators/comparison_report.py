"""A comparison of two runs in words, and as an output of the App."""

import fiftyone.operators.types as types

from .markdown import as_text, in_short, table

TITLES = {
    "raters": ("Raters", "Rater", "how much the others say what a rater says"),
    "classes": ("Classes", "Class", "mean α of the objects that mention a class"),
    "kinds": ("Kinds of disagreement", "Kind", "share among all objects"),
}


def in_words(found):
    """Return the difference of the means, and whether it can be told from zero."""
    change = found["difference"]
    value, low, high = change["value"], change["low"], change["high"]
    if value is None:
        return "No common image has a value in both runs, so nothing can be said."
    n_images = change["n_images"]
    images = "1 common image" if n_images == 1 else f"{n_images} common images"
    means = f"from {found['mean_a']['value']:.3f} to {found['mean_b']['value']:.3f}"
    moved = f"{'rose' if value > 0 else 'fell'} by {abs(value):.3f}, {means}"
    if found["n_better"] == found["n_worse"] == 0:
        return f"Mean α of {images} is the same, {found['mean_a']['value']:.3f}."
    if low is None:
        return (
            f"Mean α of {images} {moved}. There are too few images to tell this from "
            "zero."
        )
    interval = f"95 % interval of the difference {low:+.3f} to {high:+.3f}"
    told = (
        "This can be told from zero."
        if change["told_from_zero"]
        else "This cannot be told from zero."
    )
    return f"Mean α of {images} {moved} ({interval}). {told}"


def describe(found):
    """Return a comparison as an output of the App."""
    outputs = types.Object()
    outputs.md(to_markdown(found), name="comparison")
    return types.Property(outputs, view=types.View(label="Two runs compared"))


def to_markdown(found):
    """Return all of a comparison as Markdown."""
    a, b = as_text(found["run_a"]), as_text(found["run_b"])
    parts = [
        f"**{a}** is {as_text(found['notation_a'])}, "
        f"**{b}** is {as_text(found['notation_b'])}.",
        f"**{as_text(in_words(found))}**",
        _counts(found, a, b),
    ]
    for name, (title, singular, words) in TITLES.items():
        if found[name]["name"]:
            parts += [f"##### {title}: {words}", _columns(found[name], singular, a, b)]
        parts += _only_in_one(found[name], a, b)
    parts.append(f"Bootstrap: {found['n_boot']} rounds, seed {found['seed']}.")
    return "\n\n".join(parts)


def _counts(found, a, b):
    rows = [
        ("better", "n_better"),
        ("worse", "n_worse"),
        ("equal", "n_equal"),
        (f"undefined in {a} only", "n_undefined_a"),
        (f"undefined in {b} only", "n_undefined_b"),
        ("undefined in both", "n_undefined_both"),
        (f"only in {a}", "n_only_a"),
        (f"only in {b}", "n_only_b"),
    ]
    kept = [(words, str(found[name])) for words, name in rows if found[name]]
    return table(("Images", "Number"), [*kept, ("common", str(found["n_common"]))])


def _columns(own, singular, a, b):
    """Return a table with a row for each rater, class or kind."""
    names = ("name", "a", "b", "difference", "low", "high", "n_images")
    rows = zip(*(own[name] for name in names), own["told_from_zero"], strict=True)
    return table(
        (singular, a, b, "Difference", "95 % interval", "Images", "Told from zero"),
        [
            (
                as_text(in_short(str(name))),
                _number(before),
                _number(after),
                _number(difference, "+.3f"),
                "" if low is None else f"{low:+.3f} to {high:+.3f}",
                str(n_images),
                "yes" if told else "no",
            )
            for name, before, after, difference, low, high, n_images, told in rows
        ],
    )


def _number(value, form=".3f"):
    return "" if value is None else f"{value:{form}}"


def _only_in_one(own, a, b):
    """Yield a line for the names that only one of the runs has."""
    for key, which in (("only_a", a), ("only_b", b)):
        if own[key]:
            yield f"Only in {which}: {', '.join(map(as_text, own[key]))}."
