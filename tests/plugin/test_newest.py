from plugin_builders import plugin_module

newest = plugin_module("panels.newest")


def test_only_another_question_is_new():
    asked = newest.Newest()
    assert not asked.ask("panel", "a", shown="a")
    assert asked.ask("panel", "b", shown="a")
    assert not asked.ask("panel", "b", shown="a")
    assert asked.ask(
        "panel", "a", shown="a"
    )  # of which the answer is not shown any more
    assert asked.ask("other", "b", shown="a")
    assert asked.is_still("panel", "a") and not asked.is_still("panel", "b")


def test_panels_that_nobody_asked_for_long_are_forgotten(monkeypatch):
    monkeypatch.setattr(newest, "MOST", 2)
    asked = newest.Newest()
    for panel in ("one", "two", "one", "three"):
        asked.ask(panel, "b", shown="a")
    assert asked.is_still("one", "b") and asked.is_still("three", "b")
    assert not asked.is_still("two", "b")
