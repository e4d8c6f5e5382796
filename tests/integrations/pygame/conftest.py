"""Windows without a screen."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ["SDL_VIDEODRIVER"] = "dummy"
pytest.importorskip("pygame", exc_type=ImportError)

import pygame

from tests.integrations.pygame.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Windows of one computer, on virtual time; none of them is announced on a real network."""
    from retick.errors import MissingExtra
    from retick.playing import wire
    from retick.transport import poll

    def no_announcement(*_given: object, **_named: object) -> None:
        raise MissingExtra("not in tests")

    monkeypatch.setattr(wire, "Announcement", no_announcement)
    pygame.display.init()
    pygame.font.init()
    made = Desk(tmp_path)
    monkeypatch.setattr(poll, "select", made.select)  # who waits for a goodbye lets time pass
    yield made
    made.close()
