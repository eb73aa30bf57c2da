"""Operators by their forms in Chromium: asked for, executed, and done."""

import re

import pytest
from beside import open_page
from plugin_builders import operator, plugin_module

pytestmark = pytest.mark.browser
journal = plugin_module("operators.journal")


@pytest.fixture(scope="module")
def few(demo):
    """Return a few images of the demo with an audit of their own."""
    made = demo.limit(12).clone(persistent=True)
    operator("compute_agreement")(made, "ratings", overwrite=True)
    yield made
    made.delete()


@pytest.fixture(scope="module")
def page(few, served):
    """Return the one page on which all of it is done, one after another."""
    context, address = served
    opened = open_page(context, f"{address}/datasets/{few.name}")
    yield opened
    opened.close()


@pytest.fixture
def execute(page, run_operator):
    """Return a function that executes an operator by its form as it is offered."""

    def run(label, fill=None):
        dialog = run_operator(page, label)
        if fill:
            fill(dialog)
        dialog.get_by_role("button", name="Execute").click()
        return page, dialog

    return run


def told(dialog, words):
    """Wait for the last words of the dialog, and close it."""
    dialog.get_by_text(re.compile(words)).first.wait_for()
    dialog.get_by_role("button", name="Done").click()
    dialog.wait_for(state="detached")


def test_show_disagreement(few, execute):
    disputed = len(operator("show_disagreement")(few, alpha=(-1, 0.6)))
    assert 1 < disputed < len(few)
    page, _ = execute(
        "KαLOS: show disagreement",
        lambda form: form.get_by_role("spinbutton").last.fill("0.6"),
    )
    page.get_by_text(f"{disputed} samples").first.wait_for()


def test_build_relabel_queue(few, execute):
    _, dialog = execute("KαLOS: build a relabel queue")
    told(dialog, r"\d+ of \d+ disputed.*Tagged 'kalos_relabel'")
    few.reload()
    assert few.has_saved_view("kalos_relabel")


def test_create_consensus(few, execute):
    _, dialog = execute("KαLOS: create consensus labels")
    told(dialog, "labels on 12 images in the field 'kalos_consensus'")
    few.reload()
    assert few.count("kalos_consensus.detections") > 0


def test_export_results(few, execute, tmp_path):
    _, dialog = execute(
        "KαLOS: export a run",
        lambda form: form.get_by_role("textbox").first.fill(str(tmp_path / "out")),
    )
    told(dialog, r"Wrote .*run\.json")
    assert (tmp_path / "out" / "run.json").exists()


def test_fit_noise_and_simulate_raters(few, execute):
    _, dialog = execute("KαLOS: fit noise")
    told(dialog, "The fit 'noise' is stored")
    _, dialog = execute("KαLOS: simulate raters")
    told(dialog, "5 raters drew .* now in simulated_2")  # the demo has some already
    few.reload()
    assert "noise" in few.list_runs()
    assert len(few.distinct("simulated_2.detections.rater")) == 5


def test_stop_run(few, execute):
    with pytest.raises(journal.StoppedError), journal.begin(few, "later") as work:
        page, _ = execute("KαLOS: stop what is at work")
        page.get_by_text("will stop at its next step").first.wait_for()
        work._stopped.wait(5 * journal.BEAT)
        work.tell(0.5, "Reading")
