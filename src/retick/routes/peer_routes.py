"""All paths to one peer: its candidates, the probes, and which path is used. Through the relay it is always reached.

Theory of operation. Notes through the relay bring candidates; ``Rounds`` says when to probe them. An address from which
a sealed note has come is a ``Path``, whoever named it. A path that answers may be used; each side chooses for itself.
"""

from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol

from retick.routes.notes import PROBE_TOKEN, Candidate, Candidates, Go, Note, Probe, is_usable
from retick.routes.path import Path, PathKind
from retick.routes.rounds import Rounds, Step

__all__ = ["Carrier", "PeerRoutes"]

MOST_TRIED: Final = 16
"""Addresses of one peer that are probed although they have never answered."""
MOST_PATHS: Final = 8
MOST_TOKENS: Final = 32
"""Probes to addresses that are no paths yet, whose answer may still come."""
LEAST_BETWEEN: Final = 0.1
"""Seconds between two probes of an address that is not known to work."""
LEAST_OPENING: Final = 0.2
"""Seconds between two times that our router is opened: a peer that offers without end makes no flood."""
BETTER_BY: Final = 0.2
"""A share of the round trip, by which another path must be faster."""
BETTER_SECONDS: Final = 0.005
LEAST_ANSWERS: Final = 3
"""Of a path, before it replaces another one that works."""


class Carrier(Protocol):
    """What carries notes: ``Routes``."""

    @property
    def is_relayed(self) -> bool:
        """Whether the relay answers."""

    def is_present(self, number: int) -> bool:
        """Whether a member is in the room, as far as the relay says."""

    def candidates(self) -> tuple[Candidate, ...]:
        """Of this machine."""

    def note(self, peer: "PeerRoutes", note: Note, address: Any = None, ttl: int | None = None) -> None:
        """Send a note, through the relay if there is no address."""

    def path_changed(self, peer: "PeerRoutes") -> None:
        """The peer is reached another way from now on."""

    def path_known(self, peer: "PeerRoutes", new: Hashable, old: Hashable) -> None:
        """An address is the peer's, and one that was (or None) no longer."""


class PeerRoutes:
    """One member of the room."""

    def __init__(
        self, number: int, carrier: Carrier, *, is_first: bool, loopback: bool, entropy: Callable[[int], bytes]
    ) -> None:
        """``is_first``: of the two, this machine has the lower number. ``loopback``: such candidates may be probed."""
        self.number = number
        self.name = f"member-{number}"
        self.best: Path | None = None
        """The path in use; None for the relay."""
        self.paths: dict[Hashable, Path] = {}
        self.is_begun = False
        """Whether a direct path was ever looked for."""
        self.takes_none = False
        """Whether it has said that it has no candidates."""
        self.was_silent = False
        """Whether the last direct path was left because it fell silent."""
        self._carrier = carrier
        self._rounds = Rounds(is_first=is_first)
        self._is_first = is_first
        self._loopback = loopback
        self._entropy = entropy
        self._candidates: dict[Hashable, PathKind] = {}
        self._tried: set[Hashable] = set()
        self._opened_at = float("-inf")
        self._tokens: dict[bytes, tuple[Hashable, float]] = {}

    def begin(self, now: float) -> None:
        """The link talks with this peer: look for a path. The first of the two does."""
        if not self.is_begun:
            self.is_begun = True
            if self._is_first:
                self._rounds.start(now)

    def look_again(self, now: float) -> None:
        """Something has changed: a path fell silent, or this machine has another address."""
        if self.is_begun:
            self._rounds.start(now)

    @property
    def is_vain(self) -> bool:
        """Whether three rounds found nothing."""
        return self._rounds.is_vain

    # Notes.

    def receive_signal(self, note: Note, now: float) -> None:
        """A note that came through the relay."""
        if isinstance(note, Candidates):
            self._learn(note.candidates)
            if not note.is_reply:
                self.is_begun = True
                self._rounds.offered()
                self._carrier.note(self, Candidates(note.round, self._carrier.candidates(), True))
                self._open_router(note.round, now)
            elif self._rounds.replied(note.round, now):
                self._open_router(note.round, now)
                self._carrier.note(self, Go(note.round))
        elif isinstance(note, Go):
            self._fire(now)

    def receive_probe(self, probe: Probe, address: Hashable, now: float) -> None:
        """A note that came from an address, or seems to: only an answer proves that somebody is there."""
        if not probe.is_answer:
            self._carrier.note(self, Probe(probe.token, True), address)
        if address not in self.paths and not self._may_try(address):
            return
        path = self._path(address, now)
        if not probe.is_answer:
            if not path.is_answered and path.is_due(now, LEAST_BETWEEN):
                self._probe(path, now)
            return
        sent = self._tokens.pop(probe.token, None)
        if sent is not None and sent[0] == address:
            path.probed(probe.token, sent[1])
        if path.answered(probe.token, now):
            self._tried.discard(address)
            self._choose(now)

    def _learn(self, candidates: tuple[Candidate, ...]) -> None:
        self.takes_none = not candidates
        usable = [each for each in candidates if is_usable(each.host, loopback=self._loopback)]
        self._candidates = {each.address: each.kind for each in usable}

    # Probes.

    def _open_router(self, number: int, now: float) -> None:
        """Probes that pass our own router and not the other's. Where no router is on the way none is needed."""
        if now < self._opened_at + LEAST_OPENING:
            return
        self._opened_at = now
        for address, kind in self._candidates.items():
            path = self.paths.get(address)
            if kind is not PathKind.LOCAL and (path is None or not path.is_answered):
                self._try(address, now, self._rounds.ttl(number))

    def _fire(self, now: float) -> None:
        for address in self._candidates:
            if address not in self.paths and address not in self._tried and self._may_try(address):
                self._try(address, now, None)
        for path in self.paths.values():
            if not path.is_answered and path.is_due(now, LEAST_BETWEEN):
                self._probe(path, now)

    def _may_try(self, address: Hashable) -> bool:
        """Whether an address that has never answered may be probed: of one peer only a few may."""
        if address not in self._tried and len(self._tried) >= MOST_TRIED:
            return False
        self._tried.add(address)
        return True

    def _try(self, address: Hashable, now: float, ttl: int | None) -> None:
        token = self._entropy(PROBE_TOKEN)
        self._tokens[token] = address, now
        if len(self._tokens) > MOST_TOKENS:
            del self._tokens[next(iter(self._tokens))]
        self._carrier.note(self, Probe(token, False), address, ttl)

    def _probe(self, path: Path, now: float) -> None:
        token = self._entropy(PROBE_TOKEN)
        path.probed(token, now)
        self._carrier.note(self, Probe(token, False), path.address)

    def _path(self, address: Hashable, now: float) -> Path:
        found = self.paths.get(address)
        if found is None:
            oldest = None
            if len(self.paths) >= MOST_PATHS:
                others = [path for path in self.paths.values() if path is not self.best]
                oldest = min(others, key=lambda path: path.heard_at).address
                del self.paths[oldest]
            found = self.paths[address] = Path(address, self._candidates.get(address, PathKind.SHOWN))
            self._carrier.path_known(self, address, oldest)
        found.heard_at = now
        return found

    # Choice.

    def _choose(self, now: float) -> None:
        usable = [path for path in self.paths.values() if path.is_answered and now >= path.rests_until]
        best = self.best
        for path in usable:
            if best is None or (path is not best and self._is_better(path, best)):
                best = path
        if best is not self.best:
            self.best, self.was_silent = best, False
            self._carrier.path_changed(self)

    @staticmethod
    def _is_better(path: Path, than: Path) -> bool:
        least = max(BETTER_SECONDS, BETTER_BY * than.score)
        return path.answers >= LEAST_ANSWERS and path.score + least < than.score

    def _leave(self, path: Path, now: float) -> None:
        """A path is silent; if it is in use, another one is used, or the relay."""
        if path is self.best:
            others = [each for each in self.paths.values() if each is not path and each.is_answered]
            if not others and not self._carrier.is_relayed:
                return  # the only way there is
            path.left(now)
            self.best, self.was_silent = None, True
            self._choose(now)
            if self.best is None:
                self._carrier.path_changed(self)
            self.look_again(now)
        else:
            path.left(now)

    # Time.

    def is_doubted(self, now: float) -> bool:
        """Whether what is sent on the path in use should go through the relay as well."""
        doubted_at = None if self.best is None else self.best.doubted_at()
        return doubted_at is not None and now >= doubted_at

    def next_timeout(self) -> float | None:
        times = [self._rounds.next_timeout()]
        for path in self.paths.values():
            times.append(path.next_probe(in_use=path is self.best))
            if path.is_answered:
                times.append(path.silent_at() if self._may_leave(path) else None)
        return min((time for time in times if time is not None), default=None)

    def _may_leave(self, path: Path) -> bool:
        return path is not self.best or self._carrier.is_relayed

    def handle_timeout(self, now: float) -> None:
        for path in list(self.paths.values()):
            silent_at = path.silent_at() if path.is_answered else None
            if silent_at is not None and now >= silent_at:
                self._leave(path, now)
            due = path.next_probe(in_use=path is self.best)
            if due is not None and now >= due:
                self._probe(path, now)
        if self.best is None:
            self._choose(now)
        can_offer = self._carrier.is_relayed and self._carrier.is_present(self.number)
        while step := self._rounds.step(now, is_found=self.best is not None, can_offer=can_offer):
            if step is Step.FIRE:
                self._fire(now)
            else:
                self._carrier.note(self, Candidates(self._rounds.round, self._carrier.candidates(), False))
