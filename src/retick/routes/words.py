"""Describes paths in words, for people who ask why it is slow."""

from dataclasses import dataclass

from retick.routes.path import PathKind
from retick.routes.peer_routes import PeerRoutes

_DIRECT = {
    PathKind.LOCAL: "direct, on the local network",
    PathKind.IPV6: "direct over IPv6",
    PathKind.REFLEXIVE: "direct, through both routers",
    PathKind.MAPPED: "direct, to a port that the other's router forwards",
    PathKind.SHOWN: "direct; the other's router shows another port than it told",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PathReport:
    """How one member is reached at the moment."""

    member: int
    kind: PathKind
    round_trip: float | None
    """The round trip of a direct path, in seconds; None through the relay."""
    answering: tuple[PathKind, ...]
    """All direct paths that answer, the one in use included."""
    text: str


def path_words(peer: PeerRoutes, *, relay_only: bool, is_relayed: bool) -> str:
    """One line on how this member is reached, and why not better."""
    if peer.best is not None:
        words = _DIRECT[peer.best.kind]
        return words if is_relayed else f"{words}; the relay does not answer"
    if not is_relayed:
        return "not reached: there is no direct path, and the relay does not answer"
    if relay_only:
        return "through the relay, as asked for"
    if peer.takes_none:
        return "through the relay: the other side tells no address"
    if peer.was_silent:
        return "through the relay: the direct path fell silent, and another one is looked for"
    if peer.is_vain:
        return (
            "through the relay: no probe came through; a router or firewall of one of the two lets none in, or gives "
            "each way another port"
        )
    return "through the relay; a direct path is looked for"


def report_of(peer: PeerRoutes, *, relay_only: bool, is_relayed: bool) -> PathReport:
    """Report how one member is reached."""
    best = peer.best
    return PathReport(
        member=peer.number,
        kind=PathKind.RELAY if best is None else best.kind,
        round_trip=None if best is None else best.round_trip,
        answering=tuple(path.kind for path in peer.paths.values() if path.is_answered),
        text=path_words(peer, relay_only=relay_only, is_relayed=is_relayed),
    )
