"""Engines that play one match without a network, each on its own copy of the game; and their investigations."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from retick.rollback.desync.investigation import Investigation
from retick.rollback.engine.engine import RollbackEngine

Script = Callable[[int], Sequence[int]]


def script_of(seed: int, players: int, largest: int = 15) -> Script:
    rows: list[tuple[int, ...]] = []
    dice = random.Random(seed)

    def row(frame: int) -> tuple[int, ...]:
        while len(rows) <= frame:
            rows.append(tuple(dice.randint(0, largest) for _ in range(players)))
        return rows[frame]

    return row


def play(sims: Sequence[Any], script: Script, frames: int, *, history: int = 64, lag: int = 3) -> list[RollbackEngine]:
    """Each peer plays one seat; the others' inputs come ``lag`` frames late, so that everyone rolls back."""
    players = len(sims)
    engines = [
        RollbackEngine(sim, sim.initial_state(7), local_player=seat, history=history) for seat, sim in enumerate(sims)
    ]
    for frame in range(frames + lag):
        for seat, engine in enumerate(engines):
            for other in range(players):
                if other != seat and frame >= lag:
                    engine.add_remote_inputs(other, frame - lag, [script(frame - lag)[other]])
            if frame < frames:
                engine.advance(script(frame)[seat])
    return engines


def investigate(
    engines: Sequence[RollbackEngine], frame: int | None, last_agreed: int, now: float = 0.0
) -> list[Investigation]:
    peers = range(len(engines))
    return [
        Investigation(engine, engine.sim, number, peers, frame, last_agreed, now)
        for number, engine in enumerate(engines)
    ]


def exchange(investigations: Sequence[Investigation], now: float = 0.1, deaf: Sequence[int] = ()) -> None:
    """Carry messages until no one has any; those from or to the ``deaf`` are lost."""
    moved = True
    while moved:
        moved = False
        for sender in investigations:
            for message in sender.messages():
                moved = True
                for receiver in investigations:
                    if receiver is not sender and not {sender.peer_id, receiver.peer_id} & set(deaf):
                        receiver.receive(sender.peer_id, message, now)
