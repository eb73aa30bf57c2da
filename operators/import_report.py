"""What an import did, in the words of the App."""

import fiftyone.operators.types as types

MOST_LISTED = 20

LISTS = (
    ("not_in_data_set", "Images of the file that the data set lacks"),
    ("not_in_file", "Samples that the file does not mention"),
    ("other_folder", "Matched by name though the folder differs: please check"),
    ("remarks", "Remarks"),
)


def summary(report):
    """Return the counts in one sentence."""
    return (
        f"{report['n_labels']} labels by {report['n_raters']} raters on "
        f"{report['n_images']} images"
    )


def describe(report):
    """Return the report as an output of the App."""
    outputs = types.Object()
    outputs.str("summary", label="Imported", default=summary(report))
    outputs.str("where", label="Fields", default=", ".join(report["fields"]))
    renamed = {k: v for k, v in report["field_of_rater"].items() if k != v}
    for name, label, found in (
        ("renamed", "Raters whose field has another name", _pairs(renamed)),
        *((name, label, report[name]) for name, label in LISTS),
    ):
        if found:
            outputs.str(name, label=f"{label} ({len(found)})", default=_listed(found))
    return types.Property(outputs, view=types.View(label="Labels were imported"))


def _pairs(fields):
    return [f"{rater}: {field}" for rater, field in fields.items()]


def _listed(found):
    more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
    return ", ".join(found[:MOST_LISTED]) + more
