from plugin_builders import plugin_module

newest = plugin_module("panels.newest")


def test_panels_that_nobody_asked_for_long_are_forgotten(monkeypatch):
    monkeypatch.setattr(newest, "MOST", 2)
    asked = newest.Newest()
    for n, panel in enumerate(("one", "two", "one", "three")):
        asked.ask(panel, n)
    assert [asked.last(panel) for panel in ("one", "two", "three")] == [2, None, 3]
