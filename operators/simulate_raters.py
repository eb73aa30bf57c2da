"""Operator: make synthetic raters who err like people."""

import math
from typing import ClassVar

import fiftyone.operators.types as types

from ..kalos_core import KalosError
from . import layouts, noise_fits, similarity_form, simulation
from .layout_form import ask_layout
from .layouts import OneField
from .long_operator import LongOperator
from .parameters import (
    checked,
    flag,
    number,
    numbers,
    path_like,
    samples,
    text,
    whole,
)
from .problems import refuse
from .proxies import CLIP_MODEL, CLIP_WEIGHTS

LOUDEST = 5
"""The largest magnitude that the form offers; people are at 1."""

LAMBDA = number(0, math.inf, 1.0, finite=True)


class SimulateRaters(LongOperator):
    about: ClassVar = {
        "name": "simulate_raters",
        "label": "KαLOS: simulate raters",
        "description": "Make synthetic raters who err like people, from any labels",
        "icon": "group_add",
    }
    title: ClassVar = "Simulate raters"
    takes: ClassVar = {
        "view": samples,
        "label_field": text("ground_truth"),
        "rater": text("ana"),
        "rater_attribute": text(layouts.RATER_ATTRIBUTE),
        "n_raters": whole(1, 5),
        "magnitude": numbers(LAMBDA),
        "groups": numbers(whole(1, 3), always=True),
        "convention": LAMBDA,
        "parameters": path_like(
            noise_fits.DEFAULTS, "the key of a noise fit or the path of a JSON file"
        ),
        "halved": flag,
        **similarity_form.TAKES,
        "proposals": path_like(
            simulation.OWL,
            f"'{simulation.OWL}', a field of labels or the path of a COCO file",
        ),
        "owl_weights": path_like(
            simulation.OWL_WEIGHTS, "a name of weights or their path"
        ),
        "field": text(simulation.FIELD),
        "layout": layouts.TAKES["layout"],
        "seed": whole(0, 51),
        "delegate": flag,
    }

    @checked(takes)
    def __call__(
        self,
        view,
        label_field,
        rater=None,
        rater_attribute=layouts.RATER_ATTRIBUTE,
        n_raters=5,
        magnitude=1.0,
        groups=None,
        convention=1.0,
        parameters=noise_fits.DEFAULTS,
        halved=False,
        similarity=None,
        proposals=None,
        clip_model=CLIP_MODEL,
        clip_weights=CLIP_WEIGHTS,
        owl_weights=simulation.OWL_WEIGHTS,
        field=simulation.FIELD,
        layout=OneField.layout,
        seed=simulation.SEED,
        delegate=False,
    ):
        """Make synthetic raters from a label field and return what became of it.

        Every label of theirs names the labels that it comes from (``reference_ids``)
        and the ``error`` that was made: the truth, to check an audit against.

        Parameters
        ----------
        view : a data set or view; its labels are the reference.
        rater : only the labels of this rater, if there are several in the field, told
            by ``rater_attribute``.
        magnitude : the paper's lambda: 0 copies, 1 errs as people do; a number for all,
            or one for each rater.
        groups : how many raters share each convention, ``[3, 2]`` say; noise of
            magnitude ``convention`` is added once for each group.
        parameters : the key of a fit (``fit_noise``) or the path of a JSON file; by
            default those that come with KαLOS.
        halved : whether each rater gets half of what two people do differently, so that
            two of them differ as much from each other. By default each differs as much
            from the labels, as in the paper, and two of them about twice as much.
        similarity : which classes are mistaken for each other: those that look alike to
            CLIP ("@clip"), or a JSON file; by default as fitted, or by frequency.
        proposals : where objects are seen that are not there: boxes of OWL-ViT
            ("@owl"), of a label field, or of a COCO file; by default real shapes that
            are moved elsewhere.
        clip_model, clip_weights, owl_weights : which models to use; weights are a name
            to download, or a path.
        field : the new field, and what new fields' names begin with.
        layout : "one_field", or "field_per_rater".
        delegate : queue it for ``fiftyone delegated launch`` instead.
        """
        params = {
            "label_field": label_field,
            "rater": rater,
            "rater_attribute": rater_attribute,
            "n_raters": n_raters,
            "magnitude": magnitude,
            "groups": groups,
            "convention": convention,
            "parameters": parameters,
            "halved": halved,
            "similarity": similarity,
            "proposals": proposals,
            "clip_model": clip_model,
            "clip_weights": clip_weights,
            "owl_weights": owl_weights,
            "field": field,
            "layout": layout,
            "seed": seed,
        }
        request = simulation.request_of(params)
        if not delegate:
            return simulation.simulate(view, request)
        simulation.check(view, request)
        # As the form has them:
        if isinstance(magnitude, tuple):
            params["magnitude"] = list(magnitude)
        if groups:
            params["groups"] = ", ".join(map(str, groups))
        return self.delegated({"view": view.view()}, params)

    def describe(self, inputs, ctx):
        view = ctx.target_view()
        known = layouts.label_fields(view)
        request = _request(ctx, view)
        try:
            simulation.check(view, request, look=False)
        except KalosError as error:
            refuse(inputs, error)
        if known:
            inputs.view_target(ctx)
            _describe_source(inputs, view, known, request)
            _describe_noise(inputs, ctx.dataset, request)
            _describe_proxies(inputs, known, request)
            ask_layout(inputs, OneField.layout, "Where to put the raters?")
            inputs.str("field", default=request.field, label="New field")

    def run(self, ctx, tell, stoppable=None):
        view = ctx.target_view()
        return simulation.simulate(view, _request(ctx, view), tell, stoppable)

    def show(self, ctx, report):
        yield ctx.ops.set_progress(progress=1, label=in_words(report))
        yield ctx.ops.reload_dataset()


def in_words(report):
    """Return what was made as sentences."""
    alone = report["n_unpaired"]
    said = (
        f" {alone} labels that were to be combined had no likely partner."
        if alone
        else ""
    )
    if report["n_references"] and not report["n_movable"]:
        said += (
            " No label could be added: none has a width and a height, as a single "
            "joint has not, and only such shapes are drawn elsewhere."
        )
    elif report["proposals"] and not report["n_added"]:
        said += (
            f" No label was added: no box of '{report['proposals']}' is clear of all "
            "labels, or the magnitude is too small."
        )
    return (
        f"{report['n_raters']} raters drew {report['n_labels']} labels of "
        f"{report['n_references']} on {report['n_images']} images, now in "
        f"{', '.join(report['fields'])}. "
        f"{report['signal_loss']:.1%} of all errors were lost to graver ones.{said}"
    )


def _request(ctx, view):
    """Return what the form asks for; what is left empty has a default that works."""
    first = next(iter(layouts.label_fields(view)), "")
    free = simulation.free_field(ctx.dataset)
    return simulation.request_of({"label_field": first, "field": free, **ctx.params})


def _describe_source(inputs, view, known, request):
    drop = types.DropdownView()
    for name in known:
        drop.add_choice(name, label=name)
    inputs.enum(
        "label_field",
        drop.values(),
        default=known[0],
        label="Labels to start from",
        description="What synthetic raters were to draw",
        view=drop,
    )
    if request.rater_attribute in layouts.rater_attributes(view, request.label_field):
        inputs.str(
            "rater",
            label="Only the labels of this rater",
            description="Left empty: all labels of the field",
        )


def _describe_noise(inputs, dataset, request):
    inputs.int("n_raters", min=1, default=5, label="Number of raters")
    steps = {"slider": {"min": 0, "max": LOUDEST, "step": 0.25}}
    label = "Magnitude of the noise (λ)"
    if isinstance(request.magnitude, tuple):  # from Python
        inputs.list("magnitude", types.Number(), label=label)
    else:
        inputs.float(
            "magnitude",
            default=1.0,
            label=label,
            description="0 copies the labels, 1 errs as people do",
            view=types.SliderView(componentsProps=steps),
        )
    inputs.str(
        "groups",
        label="Groups that share a convention",
        description="How many raters each has: 3, 2 say. Left empty: none",
    )
    if request.groups:
        inputs.float(
            "convention",
            default=1.0,
            label="How far conventions are apart (λ)",
            view=types.SliderView(componentsProps=steps),
        )
    fits = types.DropdownView()
    fits.add_choice(noise_fits.DEFAULTS, label="As KαLOS comes with")
    for key in noise_fits.keys(dataset):
        fits.add_choice(key, label=f"As fitted in '{key}'")
    inputs.enum(
        "parameters",
        fits.values(),
        default=noise_fits.DEFAULTS,
        label="How people err",
        view=fits,
    )
    inputs.bool(
        "halved",
        default=False,
        label="Two raters differ from each other as two people do",
        description="Otherwise each of them differs from the labels as much",
    )
    inputs.int("seed", min=0, default=simulation.SEED, label="Seed")


def _describe_proxies(inputs, known, request):
    similarity_form.ask_similarity(
        inputs,
        request.similarity,
        "Which classes are mistaken for each other?",
        "As fitted, else by how frequent they are",
    )
    places = types.DropdownView()
    places.add_choice("", label="Anywhere: real shapes, moved")
    places.add_choice(simulation.OWL, label="Where OWL-ViT sees something")
    for name in known:
        if name != request.label_field or request.rater is not None:
            places.add_choice(name, label=f"Where '{name}' has boxes")
    inputs.enum(
        "proposals",
        places.values(),
        default="",
        label="Where are objects seen that are not there?",
        view=places,
    )
    if request.proposals == simulation.OWL:
        inputs.str(
            "owl_weights",
            default=simulation.OWL_WEIGHTS,
            label="Weights of OWL-ViT: a name or a folder",
        )
