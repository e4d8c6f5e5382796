"""All paths to one peer: its candidates, the probes, and the path in use. The relay is always there to fall back on.

Theory of operation. Notes through the relay bring candidates; ``Rounds`` says when to probe them. An address from
which a sealed note came becomes a ``Path``, whoever named it. A path that answers may be used; each side chooses alone.
"""

from collections.abc import Callable, Hashable
from enum import Enum, auto
from typing import Any, Final, Protocol

from retick.routes.notes import PROBE_TOKEN, Candidate, Candidates, Go, Note, Probe, is_usable
from retick.routes.path import Path, PathKind

# When to look for a direct path to one peer: three rounds, then one every minute. docs/formats/routes.md draws a round.
#
# Knows only times and numbers; ``PeerRoutes`` does the sending.

ROUNDS: Final = 3
ROUND_SECONDS: Final = 1.0
"""Seconds from the start of a round to the next, if no path answers."""
OFFER_SECONDS: Final = 0.5
"""Seconds after which an OFFER without a REPLY is sent again."""
MOST_OFFERS: Final = 3
"""The most OFFERs of a round."""
PAUSE_SECONDS: Final = 60.0
"""Seconds between rounds once three rounds have failed."""
AGAIN_SECONDS: Final = 5.0
"""The least number of seconds between two starts of three rounds."""
LATER_SECONDS: Final = 0.5
"""Seconds that the peer with the higher number waits for the other to begin."""
FIRST_TTL: Final = 2


class RoundStep(Enum):
    """The next action of a round."""

    OFFER = auto()
    FIRE = auto()


class Rounds:
    """The rounds with one peer; the side with ``is_first`` begins."""

    def __init__(self, *, is_first: bool) -> None:
        self.is_vain = False
        """Whether the last rounds found no path."""
        self.round = 0
        """The number of the round, 1 to 255, then 1 again; 0 before the first."""
        self._is_first = is_first
        self._left = 0
        self._offers = 0
        self._is_waiting = False
        """Whether a REPLY is awaited."""
        self._began_at = self._offered_at = 0.0
        self._started_at = float("-inf")
        self._due: float | None = None
        self._fire_at: float | None = None

    def start(self, now: float) -> None:
        """Start three rounds soon, because there is a reason to look for a path."""
        if self._due is not None and self._left:
            return
        wait = 0.0 if self._is_first else LATER_SECONDS
        self._due = max(now + wait, self._started_at + AGAIN_SECONDS)
        self._started_at = self._due
        self._left = ROUNDS
        self._is_waiting = False

    def next_timeout(self) -> float | None:
        times = [time for time in (self._due, self._fire_at) if time is not None]
        return min(times) if times else None

    def step(self, now: float, *, is_found: bool, can_offer: bool) -> RoundStep | None:
        """The next action that is due; call it until it is None."""
        if self._fire_at is not None and now >= self._fire_at:
            self._fire_at = None
            return RoundStep.FIRE
        if self._due is None or now < self._due:
            return None
        if is_found:
            self._due, self._left, self.is_vain = None, 0, False
            return None
        if not can_offer:
            self._due = now + OFFER_SECONDS
            return None
        if not self._is_waiting or self._offers >= MOST_OFFERS:
            if not self._left:
                self.is_vain = True
                self._left, self._due, self._is_waiting = 1, now + PAUSE_SECONDS, False
                return None
            self._left -= 1
            self.round = self.round % 255 + 1
            self._offers, self._began_at, self._is_waiting = 0, now, True
        self._offers += 1
        self._offered_at = now
        self._due = now + OFFER_SECONDS
        return RoundStep.OFFER

    def replied(self, number: int, now: float) -> bool:
        """Note a REPLY; returns whether to send GO. We probe once GO has had time to arrive."""
        if not self._is_waiting or number != self.round:
            return False
        self._is_waiting = False
        self._fire_at = now + (now - self._offered_at) / 2
        self._due = max(self._began_at + ROUND_SECONDS, self._fire_at + OFFER_SECONDS)
        return True

    def offered(self) -> None:
        """Note that the other side began a round: if it goes first, ours can wait."""
        if not self._is_first:
            self._due, self._is_waiting = None, False

    @staticmethod
    def ttl(number: int) -> int:
        """The time-to-live of the early probes of a round."""
        return FIRST_TTL + (number - 1) % ROUNDS


MOST_TRIED: Final = 16
"""How many of a peer's addresses are probed although they have never answered."""
MOST_PATHS: Final = 8
MOST_TOKENS: Final = 32
"""The most awaited answers to probes of addresses that are not paths yet."""
LEAST_BETWEEN: Final = 0.1
"""Seconds between two probes of an address that has not answered."""
LEAST_OPENING: Final = 0.2
"""Seconds between two openings of our router, so that a peer that keeps sending offers causes no flood."""
BETTER_BY: Final = 0.2
"""The share of the round trip by which another path must be faster to replace the one in use."""
BETTER_SECONDS: Final = 0.005
LEAST_ANSWERS: Final = 3
"""How many answers a path needs before it replaces one that works."""


class Carrier(Protocol):
    """Sends notes for ``PeerRoutes``; implemented by ``Routes``."""

    @property
    def is_relayed(self) -> bool:
        """Whether the relay answers."""

    def is_present(self, number: int) -> bool:
        """Whether a member is in the room, as far as the relay says."""

    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates of this machine."""

    def note(self, peer: "PeerRoutes", note: Note, address: Any = None, ttl: int | None = None) -> None:
        """Send a note to ``address``, or through the relay if that is None."""

    def path_changed(self, peer: "PeerRoutes") -> None:
        """Called when the peer is reached by another path from now on."""

    def path_known(self, peer: "PeerRoutes", new: Hashable, old: Hashable) -> None:
        """Called when an address becomes the peer's; ``old`` (or None) no longer is."""


class PeerRoutes:
    """The paths to one other member of the room."""

    def __init__(
        self, number: int, carrier: Carrier, *, is_first: bool, loopback: bool, entropy: Callable[[int], bytes]
    ) -> None:
        """``is_first``: this machine has the lower number of the two. ``loopback`` allows loopback candidates."""
        self.number = number
        self.name = f"member-{number}"
        self.best: Path | None = None
        """The path in use; None while the relay is used."""
        self.paths: dict[Hashable, Path] = {}
        self.is_begun = False
        """Whether a direct path was ever sought."""
        self.takes_none = False
        """Whether the peer has said that it has no candidates."""
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
        """Look for a path now that the link talks with this peer. The side with ``is_first`` does."""
        if not self.is_begun:
            self.is_begun = True
            if self._is_first:
                self._rounds.start(now)

    def look_again(self, now: float) -> None:
        """Look for paths again: one fell silent, or this machine has another address."""
        if self.is_begun:
            self._rounds.start(now)

    @property
    def is_vain(self) -> bool:
        """Whether three rounds found nothing."""
        return self._rounds.is_vain

    # Notes.

    def receive_signal(self, note: Note, now: float) -> None:
        """Receive a note that came through the relay."""
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
        """Receive a note from an address that may be forged: only an answer proves that the peer is there."""
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
        """Send probes that pass our own router but not the other's. Not needed where no router is on the way."""
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
        """Whether an address that has never answered may be probed: each peer may have only a few."""
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
        """Leave a silent path; if it is in use, switch to another one or the relay."""
        if path is self.best:
            others = [each for each in self.paths.values() if each is not path and each.is_answered]
            if not others and not self._carrier.is_relayed:
                return  # it is the only way
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
        """Whether datagrams on the path in use should go through the relay as well."""
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
            if step is RoundStep.FIRE:
                self._fire(now)
            else:
                self._carrier.note(self, Candidates(self._rounds.round, self._carrier.candidates(), False))
