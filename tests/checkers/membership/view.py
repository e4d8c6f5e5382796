"""What the model may know of a machine: all that invariants and the network look at."""

from collections.abc import Hashable
from typing import Any, NamedTuple

from retick.rollback.session.peer import Role
from retick.rollback.session.session import Phase
from tests.checkers.membership.canonical import OLD, newest_frame
from tests.checkers.membership.link import Key

__all__ = ["OVER", "View", "view_of"]


class View(NamedTuple):
    """One machine, frames relative to the one that it is about to run."""

    phase: str
    is_playing: bool
    peer_id: int
    seats: tuple[int, ...]
    players: tuple[tuple[int, tuple[int, ...]], ...]
    """The other players as this machine knows them: their peer ids and seats."""
    gone: tuple[int, ...]
    rows: tuple[tuple[int, tuple[int, ...]], ...]
    """The newest final frames, and what everyone pressed in each."""
    links: tuple[tuple[Key, Hashable, str], ...]
    """Its ends of connections: which, with whom, and the status."""
    has_frames: bool
    unheard: tuple[int, ...] = ()
    """The peers that this machine has named as unheard."""
    unconnected: tuple[int, ...] = ()
    """Its players to which no chain of edges leads."""
    is_undecided: bool = False
    """Whether a drop is not agreed yet."""
    is_taken_in: bool = False
    """Whether its own inputs are used. A newcomer that some players refuse before that may give up."""
    is_joining: bool = False
    """Whether it is a newcomer, or knows of one."""
    is_full: bool = False
    """Whether it has forgotten what only newcomers ask for."""


OVER = View(Phase.ENDED.value, False, -1, (), (), (), (), (), False)


def view_of(session: Any, frame: int) -> View:
    match, rows = session.match, []
    if match is not None:
        engine = match.engine
        final = engine.final_state_frame
        for at in range(max(engine.start_frame, frame - OLD), final):
            rows.append((at - frame, engine.inputs_at(at)))
    return View(
        phase=session.phase.value,
        is_playing=session.running and match.joins_at is not None,
        peer_id=session.peer_id,
        seats=session.local_players,
        players=tuple(sorted((p.peer_id, p.players) for p in session.peers.values() if p.role is Role.PLAYER)),
        gone=session.gone,
        rows=tuple(rows),
        links=tuple(sorted((c.key, c.address, c.status) for c in session.link.connections.values())),
        has_frames=match is not None or newest_frame(session) is not None,
        unheard=tuple(session.hearing.unheard_by(session.peer_id)),
        unconnected=_unconnected(session),
        is_undecided=session.drop_agreement.undecided,
        is_taken_in=match is not None and match.is_taken_in,
        is_joining=_is_joining(session),
        is_full=session.link.is_full,
    )


def _is_joining(session: Any) -> bool:
    joins = session.joins
    return (
        session.match is None
        or session.match.joins_at is None
        or any(peer.role is not Role.PLAYER for peer in session.peers.values())
        or bool(joins._early_meets or joins._early_proposals or joins.has_promised or session.sponsor.newcomer)
    )


def _unconnected(session: Any) -> tuple[int, ...]:
    players = [peer.peer_id for peer in session.players_peers()]
    return tuple(set(players) - session.hearing.connected(session.peer_id, players))
