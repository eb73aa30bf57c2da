"""How long work tells that it goes on."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done, and with all there is to do."""
