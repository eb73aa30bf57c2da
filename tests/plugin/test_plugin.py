import re
from pathlib import Path

import yaml
from fiftyone.plugins.context import build_plugin_contexts

from kalos_core.version import VERSION

ROOT = Path(__file__).parents[2]
DEFINITION = yaml.safe_load((ROOT / "fiftyone.yml").read_text())


def test_everything_in_the_definition_is_registered_and_nothing_else():
    (loaded,) = [c for c in build_plugin_contexts() if c.name == DEFINITION["name"]]
    assert loaded.errors == []
    names = {component.name for component in loaded.instances}
    assert names == {*DEFINITION["operators"], *DEFINITION["panels"]}


def test_one_version_everywhere():
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert DEFINITION["version"] == VERSION == newest.group(1)


def test_requirements_are_what_the_core_imports():
    required = (ROOT / "requirements.txt").read_text().split()
    names = {re.match(r"[\w-]+", line).group() for line in required}
    imported = set()
    for path in (ROOT / "kalos_core").rglob("*.py"):
        found = re.findall(r"^ *(?:import|from) (\w+)", path.read_text(), re.M)
        imported.update(found)
    third_party = imported & {"numpy", "scipy", "shapely", "pylibmgm"}
    assert names == third_party
