"""The README's example of a distance of one's own works as printed."""

import re
from pathlib import Path

from kalos_core import DISTANCES, Configuration, compute_agreement

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_registers_a_distance(annotations):
    (code,) = [
        block
        for block in re.findall(r"```python\n(.+?)```", README, re.S)
        if "@register_distance" in block
    ]
    try:
        exec(code, {})
        # Heights 10 and 8 are 0.2 apart, wherever the boxes are.
        made = annotations("ana: line 0 0 50 10", "ben: line 40 80 20 8")
        found = compute_agreement(made, Configuration("box_height", tau=0.2001))
        assert found.alpha[0] == 1
        found = compute_agreement(made, Configuration("box_height", tau=0.1))
        assert found.alpha[0] < 1
    finally:
        DISTANCES.pop("box_height", None)


def test_the_table_names_every_entry_of_the_registries():
    from kalos_core import COSTS, METHODS, SOLVERS

    for name in {*DISTANCES, *SOLVERS, *COSTS} - {"kalos"}:
        assert f"`{name}`" in README
    for name in set(METHODS) - {"kalos"}:
        assert f'`method("{name}")`' in README
