"""Colours of raters: the same on the images and in every panel."""

import fiftyone as fo

from ..kalos_core.natural_order import natural

# Okabe and Ito's set, told apart by the colour-blind, without black and yellow,
# which vanish on dark and on light ground; then lighter and darker companions. From the
# eleventh on, each is the colour of middle lightness that is farthest from all before
# it in CIELAB, to the eye that tells it worst; more cannot be told apart.
COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#8c564b",
    "#7f7fff",
    "#a6d854",
    "#b15928",
    "#8000f8",
    "#f0c8c8",
    "#b0b068",
    "#5848c0",
    "#a80090",
    "#a0d8f0",
    "#48e898",
    "#605860",
    "#f808f8",
    "#c8a0a0",
    "#908850",
    "#f0a0c8",
    "#f8c800",
    "#e08040",
    "#f870d8",
    "#80e878",
    "#c840c0",
    "#78b880",
)


NEUTRAL = "#76808f"
"""For all that is not a rater, so that raters are the only colours on the images."""


def colour_of(raters):
    """Return the colour of each rater, by the rater's place among the names."""
    ordered = enumerate(sorted(raters, key=natural))
    return {rater: COLOURS[n % len(COLOURS)] for n, rater in ordered}


def shown(dataset, layout, raters):
    """Return the colour that each rater has on the images; ours where there is none.

    Parameters
    ----------
    layout : where the raters are, as the configuration of a run holds it.
    """
    found = {}
    scheme = dataset.app_config.color_scheme
    for field in (scheme.fields or ()) if scheme else ():
        found.update(_of_raters(field, scheme.color_by, layout))
    given = {name: found[name] for name in raters if name in found}
    return given | _others(colour_of(raters), given)


def _others(colours, given):
    """Return the colours of those who were given none, none of which is taken."""
    left = [name for name in colours if name not in given]
    taken = {*given.values(), *(colours[name] for name in left)}
    spare = iter([colour for colour in COLOURS if colour not in taken])
    return {
        name: next(spare, colours[name])
        if colours[name] in given.values()
        else colours[name]
        for name in left
    }


def _of_raters(field, color_by, layout):
    """Return the colours of raters that one field of a colour scheme sets."""
    path, one_field = field.get("path"), layout["layout"] == "one_field"
    if color_by == "field" and not one_field:
        colour = field.get("fieldColor")
        return {path: colour} if colour and path in layout["label_fields"] else {}
    if color_by != "value" or not one_field:
        return {}
    attribute = layout["label_field"], layout["rater_attribute"]
    if (path, field.get("colorByAttribute")) != attribute:
        return {}
    return {str(v["value"]): v["color"] for v in field.get("valueColors") or ()}


def colour_by_rater(layout, raters):
    """Return a colour scheme for the App in which each rater has a colour."""
    colours = colour_of(raters)
    values = [{"value": name, "color": colour} for name, colour in colours.items()]
    if layout.layout == "one_field":
        fields = [
            {
                "path": layout.label_field,
                "colorByAttribute": layout.rater_attribute,
                "valueColors": values,
            }
        ]
        return fo.ColorScheme(color_by="value", fields=fields, color_pool=[NEUTRAL])
    fields = [
        {"path": name, "fieldColor": colours[name], "colorByAttribute": None}
        for name in layout.label_fields
    ]
    return fo.ColorScheme(color_by="field", fields=fields, color_pool=[NEUTRAL])


def apply(dataset, layout, raters):
    """Colour labels by rater."""
    dataset.app_config.color_scheme = colour_by_rater(layout, raters)
    dataset.save()


def take_back(dataset, layout, raters):
    """Remove the colours that ``apply`` gave, unless they were changed since."""
    scheme = dataset.app_config.color_scheme
    ours = colour_by_rater(layout, raters)
    if scheme is not None and _plain(scheme) == _plain(ours):
        dataset.app_config.color_scheme = None
        dataset.save()


def _plain(scheme):
    """Return a scheme less its id."""
    return {name: value for name, value in scheme.to_dict().items() if name != "_id"}
