"""Pictures as lines of text."""

import io

from rich.console import Console, RenderableType

from retick.games.fighter import Fighter
from retick.playing.network_report import NetworkReport

GAME = Fighter()
REPORT = NetworkReport(
    frame=120,
    confirmed=115,
    state=GAME.pack_state(GAME.initial_state(1)).hex(),
    depth=4,
    rollbacks=7,
    deepest=6,
    rtt=0.081,
    loss_in=0.05,
)


def drawn(picture: RenderableType, columns: int = 80, rows: int = 24, encoding: str = "utf-8") -> list[str]:
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=buffer, width=columns, height=rows, force_terminal=False, legacy_windows=False)
    console.print(picture)
    buffer.flush()
    buffer.seek(0)
    return buffer.read().splitlines()
