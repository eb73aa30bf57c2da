"""Set-up, demo and screenshots; nothing here is part of the plugin."""
