"""The README's example of a distance of one's own works as printed."""

import re
from pathlib import Path

from kalos_core import DISTANCES

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_prints_what_it_says(capsys):
    blocks = re.findall(r"^```\w*\n(.+?)^```$", README, re.S | re.M)
    place = next(n for n, code in enumerate(blocks) if "@register_distance" in code)
    code, printed = blocks[place : place + 2]
    try:
        exec(code, {})
        assert capsys.readouterr().out == printed
    finally:
        DISTANCES.pop("span_iou", None)


def test_the_table_names_every_entry_of_the_registries():
    from kalos_core import COSTS, METHODS, SOLVERS

    for name in {*DISTANCES, *SOLVERS, *COSTS} - {"kalos"}:
        assert f"`{name}`" in README
    for name in set(METHODS) - {"kalos"}:
        assert f'`method("{name}")`' in README
