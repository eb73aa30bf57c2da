"""The form of import_annotations: from where, to where, and how raters are told."""

from dataclasses import fields

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import data_set_names
from .import_sources import SHAPES, check_kind, check_path
from .importing import LABEL_FIELD, Request, check_request
from .layout_form import ask_layout
from .layouts import ASSIGNED_FIELD, RATER_ATTRIBUTE, FieldPerRater, OneField

CURRENT, NEW = "current", "new"
FILE, FOLDER = "file", "folder"
NAME = "kalos-import"


def describe(ctx):
    """Return the inputs, the reason on top why they cannot be executed, if any."""
    inputs, problem = types.Object(), _problem(ctx)
    if problem:
        inputs.view("problem", types.Warning(label=problem)).invalid = True
    _describe_source(inputs, ctx.params)
    _describe_target(inputs, ctx)
    _describe_layout(inputs, ctx.params)
    shapes = types.DropdownView()
    for name in SHAPES:
        shapes.add_choice(name, label=name.capitalize())
    inputs.enum(
        "shapes",
        shapes.values(),
        label="Shapes",
        description="Left empty: keypoints, else polygons, if every label of the file "
        "has them, else boxes",
        view=shapes,
    )
    return inputs


def request_of(ctx):
    """Return what the form asks for; what is left empty has its default."""
    known = {field.name for field in fields(Request)} - {"dataset"}
    given = {name: ctx.params.get(name) for name in known}
    given["path"] = _path(given["path"])
    given["images_dir"] = _path(given["images_dir"])
    if _target(ctx) == CURRENT:
        dataset, given["images_dir"] = ctx.dataset.name, None
    else:
        dataset = ctx.params.get("name") or NAME
    filled = {name: value for name, value in given.items() if value not in (None, "")}
    return Request(dataset, filled.pop("path", ""), **filled)


def _target(ctx):
    if ctx.dataset is None:
        return NEW
    return ctx.params.get("target") or (CURRENT if ctx.dataset else NEW)


def _path(value):
    """Return a path, which the file explorer wraps."""
    return value.get("absolute_path") if isinstance(value, dict) else value


def _describe_source(inputs, params):
    path = params.get("path")
    if isinstance(path, str):  # from Python
        inputs.str("path", required=True, label="Path")
        return
    if isinstance(path, list):
        inputs.list("path", types.String(), required=True, label="Files")
        return
    kinds = types.RadioGroup(orientation="horizontal")
    kinds.add_choice(FILE, label="One COCO file that names the raters")
    kinds.add_choice(FOLDER, label="A folder: one COCO file, or YOLO folder, per rater")
    inputs.enum(
        "source", kinds.values(), default=FILE, label="What to import", view=kinds
    )
    _describe_path(inputs, "path", "From", params.get("source") == FOLDER)


def _describe_path(inputs, name, label, is_folder):
    what = "folder" if is_folder else "file"
    explorer = types.FileExplorerView(
        choose_dir=is_folder, button_label=f"Choose a {what} ..."
    )
    inputs.file(name, required=True, label=label, view=explorer)


def _describe_target(inputs, ctx):
    target = _target(ctx)
    if ctx.dataset is not None:
        kinds = types.RadioGroup(orientation="horizontal")
        kinds.add_choice(CURRENT, label=f"The data set '{ctx.dataset.name}'")
        kinds.add_choice(NEW, label="A new data set")
        inputs.enum("target", kinds.values(), default=target, label="Into", view=kinds)
    if target == CURRENT:
        return
    inputs.str("name", default=NAME, label="Name of the new data set")
    if isinstance(ctx.params.get("images_dir"), str):  # from Python
        inputs.str("images_dir", required=True, label="Folder of the images")
        return
    _describe_path(inputs, "images_dir", "Folder of the images", is_folder=True)


def _describe_layout(inputs, params):
    ask_layout(inputs, OneField.layout, "Where to put the raters?")
    if params.get("layout") == FieldPerRater.layout:
        inputs.md("Fields are named after the raters. An empty one means: saw nothing.")
        return
    for name, default, label in (
        ("label_field", LABEL_FIELD, "Field of the labels"),
        ("rater_attribute", RATER_ATTRIBUTE, "Attribute that names the rater"),
        ("assigned_field", ASSIGNED_FIELD, "Field that lists the assigned raters"),
    ):
        inputs.str(name, default=default, label=label)


def _problem(ctx):
    """Return why this form cannot be executed, or None; the file is not read."""
    request = request_of(ctx)
    if not request.path:
        return None  # nothing is chosen yet, and the field says that it is required
    try:
        check_path(request.path)
        check_kind(request.path, request.format)
        if _target(ctx) == NEW:
            data_set_names.check_free(request.dataset)
            if not request.images_dir:
                return None
        check_request(request, look=False)
    except KalosError as error:
        return str(error)
    return None
