"""A match of three over sealed links whose datagrams a test sees, and to which it may add others."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from retick.link import Invite
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.rollback.spectate.spectator import SpectatorSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.toys import Tally, TallyState

__all__ = ["INVITE", "NAMES", "PLANTED", "Carried", "Extra", "PlantedTally", "SealedMatch", "press_planted"]

INVITE = Invite("host:7777", b"sixteen secrets!")
NAMES = ("peer0", "peer1", "peer2")
BUTTON = 0x5EA1
PLANTED = {
    "input": BUTTON.to_bytes(2, "little") * 3,
    "name": b"planted-name",
    "profile": b"planted-profile",
    "message": b"planted-message",
    "state": b"planted-state",
    "secret": INVITE.secret,
}
"""What must not be seen in a sealed match, by what it is."""
STEADY = Conditions(latency=0.02)
"""No dice: a datagram more or less changes nothing for the others."""
CONFIG = MatchConfig(disconnect_after=1.5, end_when_alone=False)


class PlantedTally(Tally):
    """A tally whose packed states can be recognised."""

    def pack_state(self, state: TallyState) -> bytes:
        return PLANTED["state"] + super().pack_state(state)

    def unpack_state(self, data: bytes) -> TallyState:
        return super().unpack_state(data.removeprefix(PLANTED["state"]))


def press_planted() -> Callable[[int, Any], int]:
    """The same button for many frames, then another one for a few; by turns and not by what is seen."""
    turns: Counter[int] = Counter()

    def press(player: int, state: Any) -> int:
        turns[player] += 1
        return BUTTON if turns[player] % 20 < 14 else turns[player] % 251 + player

    return press


class Carried(NamedTuple):
    """A datagram that was received."""

    to: str
    source: Hashable
    data: bytes


Extra = Callable[[Carried], tuple[list[Carried], list[Carried]]]
"""Datagrams to deliver to the same peer right before and right after one."""


class SealedMatch:
    """The whole story: three play, talk, one is lost and comes back, one watches, and all play again."""

    def __init__(self, *, extra: Extra = lambda carried: ([], []), **details: Any) -> None:
        self.carried: list[Carried] = []
        self.keylogs: dict[str, list[str]] = {name: [] for name in (*NAMES, "watcher")}
        self.dropped: Counter[str] = Counter()
        self._extra = extra
        self._details = {"invite": INVITE, **details}
        self.mesh = Mesh(
            lambda: PlantedTally(3),
            seats=dict.fromkeys(NAMES, 1),
            conditions=STEADY,
            config=CONFIG,
            press=press_planted(),
            make_session={name: self._maker(RollbackSession, name) for name in NAMES},
        )

    def _maker(self, kind: Any, name: str) -> Callable[..., Any]:
        match = self

        class Tapped(kind):  # type: ignore[misc, valid-type]  # a session or a spectator
            def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
                carried = Carried(name, address, bytes(data))
                match.carried.append(carried)
                before, after = match._extra(carried)
                for each in (*before, carried, *after):
                    super().receive_datagram(each.data, each.source, now=now)

        own: dict[str, Any] = {"keylog": self.keylogs[name].append}
        if kind is RollbackSession:
            own |= {
                "name": PLANTED["name"].decode(),
                "profile": PLANTED["profile"] + name.encode(),
                "identity": name.encode().ljust(32),
            }
        return lambda *given, **named: Tapped(*given, **{**own, **self._details, **named})

    def play(self, *, again: bool = True) -> "SealedMatch":
        mesh = self.mesh
        mesh.start()
        mesh.play(40)
        for name in NAMES:
            assert mesh[name].session.send_message(PLANTED["message"])
        mesh.watch("watcher", "peer0", delay=5, make_session=self._maker(SpectatorSession, "watcher"))
        mesh.run(0.5)
        if again:
            mesh.crash("peer2")
            mesh.run(2.5)
            mesh.restart("peer2")
            mesh.run_until(lambda: mesh["peer2"].playing, limit=8.0, what="the newcomer plays")
        mesh.run(0.5)
        for peer in mesh.alive:
            self.dropped.update(peer.session.dropped)
        return self

    def outcome(self) -> dict[str, Any]:
        """All that applications have seen of the match."""
        mesh = self.mesh
        found: dict[str, Any] = {"checksum": mesh.verify()}
        for peer in mesh.alive:
            found[peer.name] = (peer.events, peer.session.roster, peer.final_frame, peer.checksums, peer.rows)
        for name, spectator in mesh.spectators.items():
            found[name] = (spectator.events, spectator.session.roster, spectator.checksums)
        return found
