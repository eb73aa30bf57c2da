"""The FiftyOne plugin @kalos/audit: registration only."""


def register(plugin):
    """Register every operator and panel of the plugin."""
    # Imported here because pytest imports this file without its package.
    from .operators import OPERATORS
    from .panels import PANELS

    for component in (*OPERATORS, *PANELS):
        plugin.register(component)
