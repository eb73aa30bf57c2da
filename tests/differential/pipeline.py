"""The reference's own pipeline, from labels of named raters to what it writes."""

import itertools
from types import SimpleNamespace

from kalos.iaa import kalos_execution
from reference import COSTS, SIMILARITIES, theirs_by_name

NOTHING = {
    "calculate_vitality": False,
    "calculate_difficulty": False,
    "collaboration_clusters": False,
    "localization_sensitivity_thresholds": [],
}


def run_pipeline(assigned, rows, names, configuration, monkeypatch, **options):
    """Let the reference analyse labels whose raters have these names.

    Parameters
    ----------
    options : of the reference; by default it computes only what it always does and the
        agreement of sessions.
    """
    data = theirs_by_name(configuration.d_loc, assigned, rows)
    for image in data.values():
        image["rater_list"] = [names[r] for r in image["rater_list"]]
        by_rater = image["annotations_by_rater"]
        image["annotations_by_rater"] = {names[r]: own for r, own in by_rater.items()}
        for made in itertools.chain(*by_rater.values()):
            made["rater_id"] = names[made["rater_id"]]
    package = {
        "processed_data": data,
        "categories": {0: "a", 1: "b", 2: "c"},
        "all_raters": sorted(names),
    }
    monkeypatch.setattr(kalos_execution, "load_and_preprocess_data", lambda *_: package)
    monkeypatch.setattr(kalos_execution, "setup_kalos_logging", lambda *_: None)
    asked = {
        "log_level": "ERROR",
        "annotation_file": "",
        "annotation_type": "",
        "only_with_instances": False,
        "method": configuration.solver,
        "threshold_func": SIMILARITIES[configuration.d_loc],
        "cost_func": COSTS[configuration.psi],
        "similarity_threshold": round(1 - configuration.tau, 12),
        "calculate_intra_iaa": True,
        "output_results": "somewhere",
        "task": "",
    }
    kalos_execution.run_kalos_pipeline(SimpleNamespace(**asked | NOTHING | options))
