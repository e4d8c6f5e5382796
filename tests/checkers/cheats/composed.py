"""A cheat is composed of rules that it breaks: whom it treats differently, what it does, with what, and when.

Theory of operation. A :class:`Rule` is four words and some numbers. Each message, payload and datagram that leaves the
cheat's session passes all its rules in turn; a rule that is about it (its kind, its receiver, the phase) returns what
is sent in place of it. Some deeds need no message: they are done in each turn. No deed is for one kind alone, and no
kind is excluded, so what rules can do to the protocol does not depend on what it says.

Phases are told by the match: what happens to honest machines meanwhile (``scenarios``), because a cheat acts when a
decision is under way.
"""

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from retick.link import LinkEndpoint, Reason, Sealing
from retick.link.layout import CONTROL
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.agreement import Statement
from retick.rollback.session.messages.connect import FROM_A_STATE, encode_call, encode_play, encode_watch
from retick.rollback.session.messages.forward import decode_range
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.roster import TOKEN_SIZE, Reach
from retick.rollback.session.peer import Peer
from retick.rollback.session.session import RollbackSession
from retick.rollback.spectate.spectator import SpectatorSession
from retick.testing.scenarios import limits_around
from retick.wire import rbn1
from tests.checkers.cheats.cheat import Cheat, Datagrams
from tests.checkers.cheats.forging import (
    DATAGRAM,
    INPUTS,
    MESSAGES,
    PAYLOADS,
    Draws,
    kind_of,
    other_inputs,
    read_inputs,
)

__all__ = ["CHEATS", "DEEDS", "PHASES", "SPLITTING", "TRAITS", "WHOM", "CheatingSpectator", "ComposedCheat", "Rule"]

DEEDS = (
    "withhold", "delay", "repeat", "renumber", "break", "forge", "contradict", "say-twice", "stand-by", "unasked",
    "flood", "again", "vanish-before", "vanish-after", "goodbye", "knock", "restless",
)  # fmt: skip
"""What is done: not sent; sent later; sent again later; sent with other numbers; made invalid; replaced by something of
its kind; replaced by a second version, the same for all victims, while others get the first; both versions are sent;
its own statement is untrue, and its own session stands by it, so that it may count;
sent without cause, now and then, or as fast as links take it; what was sent before is sent again to anybody; gone
before the first one leaves, or right after it; the link is closed; connections are asked for without end; slots are
opened without end."""
WHOM = ("one", "some", "all")
PHASES = (
    "always", "lobby", "leave", "crash", "pause", "rematch", "resync", "join", "reconnect", "stop", "apart",
)  # fmt: skip
TRAITS = ("patient", "fast", "blind")
"""How a cheat's own session is set: it blames nobody for missing inputs; its clock runs four times too fast; it never
waits for inputs."""
SPLITTING = frozenset({INPUTS, "PASS", "START", "WELCOME", "STATE", DATAGRAM})
"""Lies about these may lead honest machines to different states: they must notice, and go on by a resync."""
HONEST = frozenset({"withhold", "delay", "repeat", "vanish-before", "vanish-after", "goodbye", "knock", "restless"})
"""Deeds that say nothing untrue."""
UNCAUSED = frozenset({"unasked", "flood", "again", "goodbye", "knock", "restless"})
"""Deeds that need no message to be about."""
UNSENT = UNCAUSED | {"stand-by"}
"""Deeds that are not done with what is sent."""
A_FRAME = 8
"""Messages or payloads to each peer in each turn, in a flood of them."""
REMEMBERED = 200
"""What one that repeats itself keeps, to send it again."""
REACH = Reach(12, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a cheat does."""

    what: str
    """One of ``DEEDS``."""
    kind: str = DATAGRAM
    """With what: one of ``KINDS``."""
    whom: str = "all"
    """One of ``WHOM``."""
    during: str = "always"
    """One of ``PHASES``: while that happens to honest machines; "lobby" is before the match."""
    seconds: float = 0.0
    """How much later something delayed or repeated is sent."""
    share: float = 1.0
    """Of how many of the messages."""
    seed: int = 0
    """Who "one" and "some" are."""

    def __str__(self) -> str:
        later = f" by {self.seconds:.2f} s" if self.what in ("delay", "repeat") else ""
        some = f", {self.share:.0%} of them" if self.share < 1.0 else ""
        return f"{self.what} {self.kind} to {self.whom} ({self.seed}) during {self.during}{later}{some}"

    @property
    def splits(self) -> bool:
        """Whether it may lead honest machines to different states."""
        return self.kind in SPLITTING and self.what not in HONEST


class ComposedCheat(Cheat):
    """Breaks the rules that it was given, by the dice."""

    def __init__(
        self,
        session: Any,
        dice: Random,
        *,
        rules: Iterable[Rule] = (),
        traits: Collection[str] = (),
        friends: Collection[Hashable] = (),
        phases: Callable[[], Collection[str]] = lambda: PHASES,
        spied: Callable[[], tuple[int, bytes]] | None = None,
    ) -> None:
        """``friends``: the addresses of others that cheat too, to whom it is honest. ``phases``: what happens now.

        ``spied``: the present slot and its history, which somebody tells one that is no member yet.
        """
        super().__init__(session, dice)
        self.in_lobby = any(rule.during == "lobby" for rule in rules)
        self._rules = tuple(rules)
        self._traits = frozenset(traits)
        self._friends = frozenset(friends)
        self._phases = phases
        self._draws = Draws(session, dice)
        self._draws.spied = spied or self._draws.spied
        self._late: list[tuple[float, Peer, bytes, bool]] = []
        self._old: deque[tuple[bytes, bool]] = deque(maxlen=REMEMBERED)
        self._old_datagrams: deque[tuple[bytes, Hashable]] = deque(maxlen=REMEMBERED)
        self._second: dict[bytes, bytes] = {}
        """The second version of what was said, so that all victims get the same one."""
        self._victims: dict[int, int] = {}
        """The one victim of a rule, by the rule's seed, as long as it is there."""
        self._from: int | None = None
        """The first frame whose inputs are not the same for all."""
        self._began_at: float | None = None
        self._flood: _RequestFlood | None = None
        self._stands_by = False

    # Whom, and when.

    def settings(self, config: MatchConfig) -> MatchConfig:
        if "patient" in self._traits:
            config = replace(config, input_timeout=1e6)
        if "fast" in self._traits:
            config = replace(config, prediction_window=2000, longest_catch_up=2.0, **limits_around(2048))
        if "blind" in self._traits:
            config = replace(config, prediction_window=8000, **limits_around(8192))
        return config

    def clock(self, now: float) -> float:
        if "fast" not in self._traits or not self.session.is_cheating:
            return now
        if self._began_at is None:
            self._began_at = now
        return self._began_at + 4.0 * (now - self._began_at)

    def _active(self) -> Iterator[Rule]:
        phases = self._phases() if self.session.has_started or "newcomer" in self._traits else ("lobby",)
        for rule in self._rules:
            if rule.during in phases or (rule.during == "always" and "lobby" not in phases):
                yield rule

    def is_victim(self, rule: Rule, peer: Peer) -> bool:
        """Whether a rule is about what is sent to this peer."""
        if self._is_friend(peer):
            return False
        if rule.whom == "one":
            ids = [each.peer_id for each in self.others if not self._is_friend(each)]
            if self._victims.get(rule.seed) not in ids:
                self._victims[rule.seed] = min(ids, key=lambda found: (found * 7 + rule.seed) % 11, default=-1)
            return bool(self._victims[rule.seed] == peer.peer_id)
        return rule.whom == "all" or bool((peer.peer_id * 5 + rule.seed) % 7 < 4)

    def _is_friend(self, peer: Peer) -> bool:
        return peer.connection is not None and peer.connection.address in self._friends

    # What leaves.

    def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        self._old.append((data, False))
        return self._pass(peer, data, kind_of(data), is_payload=False)

    def payload(self, peer: Peer, data: bytes) -> Iterable[bytes]:
        self._old.append((data, True))
        return self._pass(peer, data, kind_of(data, is_payload=True), is_payload=True)

    def _pass(self, peer: Peer, data: bytes, kind: str, *, is_payload: bool) -> list[bytes]:
        out = [data]
        for rule in self._active():
            is_meant = rule.kind == kind and rule.what not in UNSENT and self.is_victim(rule, peer)
            if is_meant and (rule.share >= 1.0 or self.dice.random() < rule.share):
                self.broken += 1
                out = [each for one in out for each in self._changed(rule, peer, one, kind, is_payload=is_payload)]
        return out

    def _changed(self, rule: Rule, peer: Peer, data: bytes, kind: str, *, is_payload: bool) -> Iterable[bytes]:
        """What is sent in place of one message or payload."""
        if rule.what in ("delay", "repeat"):
            self._late.append((self.session.time + rule.seconds, peer, data, is_payload))
            return (data,) * (rule.what == "repeat")
        if rule.what in ("vanish-before", "vanish-after"):
            self.session.leave_soon()
            return (data,) * (rule.what == "vanish-after")
        if rule.what == "renumber":
            return (self._draws.renumbered(kind, data),)
        if rule.what == "break":
            # A payload that is lost is sent again: broken ones come beside the true ones.
            return (data,) * is_payload + (self._draws.broken(data),)
        if rule.what == "forge":
            return (self._draws.another(kind, data),)
        if rule.what in ("contradict", "say-twice"):
            return (data,) * (rule.what == "say-twice") + (self._second_version(kind, data),)
        return ()

    def _second_version(self, kind: str, data: bytes) -> bytes:
        match = self.inside.match
        if kind == INPUTS and match is not None and (packet := read_inputs(data)) is not None:
            if self._from is None:
                self._from = match.engine.local_frontier
            return rbn1.encode(other_inputs(packet, self.changes), rbn1.ALL_EXTENSIONS)
        if kind == "RANGE" and match is not None and self._from is not None:
            return self._draws.signed_anew(decode_range(data), self.changes)
        if data not in self._second:
            self._second[data] = self._draws.another(kind, data)
        return self._second[data]

    def changes(self, frame: int) -> bool:
        """Whether the inputs of a frame are not the same for all."""
        return self._from is not None and frame >= self._from

    def datagrams(self, out: Datagrams, now: float) -> Datagrams:
        for rule in self._active():
            if rule.kind in (DATAGRAM, "CONTROL") and rule.what not in UNSENT:
                out = self._change_datagrams(rule, out)
            elif rule.what == "knock":
                out = out + self._knock(now)
        self._old_datagrams.extend(out)
        return out

    def _change_datagrams(self, rule: Rule, out: Datagrams) -> Datagrams:
        meant = {peer.connection.address for peer in self.others if peer.connection and self.is_victim(rule, peer)}
        changed: Datagrams = []
        for data, address in out:
            is_meant = address in meant and (rule.kind == DATAGRAM or data[0] == CONTROL)
            if not is_meant or self.dice.random() >= rule.share:
                changed.append((data, address))
                continue
            self.broken += 1
            if rule.what in ("vanish-before", "vanish-after"):
                self.session.leave_soon()
            elif rule.what == "repeat":
                changed += [(data, address), self.dice.choice(self._old_datagrams or [(data, address)])]
            elif rule.what not in ("withhold", "delay"):
                noise = self.dice.randbytes(self.dice.randrange(1, 1400))
                changed += [(data, address), (self._draws.broken(data), address), (noise, address)]
        return changed

    # What is done in each turn.

    def turn(self, now: float) -> None:
        self._stand_by()
        due, self._late = [each for each in self._late if each[0] <= now], [e for e in self._late if e[0] > now]
        for _, peer, data, is_payload in due:
            (self.throw if is_payload else self.say)(peer, data)
        for rule in self._active():
            if rule.what in UNCAUSED and rule.what != "knock":
                self._do(rule)

    def _stand_by(self) -> None:
        """See to it that our own session states what we want it to."""
        if self._stands_by or not any(rule.what == "stand-by" for rule in self._rules):
            return
        self._stands_by = True
        membership = self.inside.membership
        true_statement = membership._statement
        membership._statement = lambda *given: self._untrue(true_statement(*given))

    def _untrue(self, said: Statement) -> Statement:
        for rule in self._active():
            if rule.what == "stand-by" and self.dice.random() < rule.share:
                self.broken += 1
                said = self._draws.statement(said)._replace(slot=said.slot, history=said.history)
        return said

    def _do(self, rule: Rule) -> None:
        if rule.what == "restless":
            if self.inside.running:
                self.broken += 1
                self.inside.membership.want_slot()
            return
        if rule.what != "flood" and self.dice.random() >= 0.06 * rule.share:
            return
        for peer in self.others:
            if self.is_victim(rule, peer):
                self._do_to(rule, peer)

    def _do_to(self, rule: Rule, peer: Peer) -> None:
        if rule.what == "goodbye":
            self.broken += 1
            if peer.connection is not None:
                peer.connection.close(Reason.GOODBYE, "bye")
        elif rule.what == "again" and self._old:
            data, is_payload = self.dice.choice(self._old)
            (self.throw if is_payload else self.say)(peer, data)
        elif rule.what in ("unasked", "flood"):
            for _ in range(A_FRAME if rule.what == "flood" else 1):
                if rule.kind in PAYLOADS:
                    self.throw(peer, self._draws.payload(rule.kind))
                elif rule.kind in MESSAGES:
                    self.say(peer, self._draws.message(rule.kind))

    # Requests to connect.

    def received(self, data: bytes, address: Hashable, now: float) -> None:
        if self._flood is not None:
            self._flood.receive(data, address, now)

    def _knock(self, now: float) -> Datagrams:
        if self._flood is None:
            self._flood = _RequestFlood(self, self.dice)
        more = self._flood.datagrams(self._addresses(), now)
        self.broken += len(more)
        return more

    def _addresses(self) -> list[Hashable]:
        return [peer.connection.address for peer in self.others if peer.connection is not None]


class _RequestFlood:
    """Asks for connections of all kinds from an endpoint of its own, which no session knows."""

    def __init__(self, cheat: Cheat, dice: Random) -> None:
        self._cheat = cheat
        self._dice = dice
        session = cheat.session
        known = (cheat.inside.link if isinstance(session, RollbackSession) else session._link).config
        sealing = Sealing(sealed=known.sealed, secret=known.secret)
        self._link = LinkEndpoint(link_config_for(session.sim, session.config, sealing), entropy=dice.randbytes)

    def receive(self, data: bytes, address: Hashable, now: float) -> None:
        self._link.receive_datagram(data, address, now=now)
        self._link.events()

    def datagrams(self, addresses: Iterable[Hashable], now: float) -> Datagrams:
        """New requests to these, and what the old ones have to send."""
        for address in addresses:
            if len(self._link.connections) < 40 and self._dice.random() < 0.3:
                is_player = isinstance(self._cheat.session, RollbackSession)
                token = (self._cheat.inside.token if is_player else b"").ljust(TOKEN_SIZE, b"\0")
                call = encode_call(token, self._dice.randrange(256), REACH)
                watch = encode_watch(self._dice.choice((0, 5, 1 << 30, FROM_A_STATE)))
                data = self._dice.choice((call, watch, encode_play(REACH), b"", self._dice.randbytes(20)))
                self._link.dial(address, seats=self._dice.choice((0, 1, 1, 200)), data=data)
        self._link.handle_timeout(now=now)
        return self._link.datagrams_to_send(now=now)


# Spectators: they may send nothing, and so have one link, no members and no items.


class _WatchingCheat(ComposedCheat):
    """A spectator that cheats; its session has one link and no peers."""

    @property
    def others(self) -> list[Peer]:
        return []

    def _active(self) -> Iterator[Rule]:
        return iter(self._rules)

    def turn(self, now: float) -> None:
        connection = self.session.connection
        if connection is not None and self.dice.random() < 0.1:
            kind = self.dice.choice(MESSAGES)
            message = bytes((MessageKind[kind],)) + self.dice.randbytes(self.dice.randrange(40))
            self.broken += connection.send_reliable(message)
            connection.send_unreliable(self.dice.randbytes(40))

    def _change_datagrams(self, rule: Rule, out: Datagrams) -> Datagrams:
        self.broken += len(out)
        if rule.what == "withhold":
            return [each for each in out if each[0][0] != CONTROL or self.dice.random() < 0.02]
        noise = [(self.dice.randbytes(self.dice.randrange(1, 1400)), self.session.source) for _ in range(4)]
        return out + noise

    def _addresses(self) -> list[Hashable]:
        return [self.session.source]


class CheatingSpectator(SpectatorSession):
    """A spectator's session with a cheat in it."""

    def __init__(self, sim: Any, address: Hashable, *, rules: Iterable[Rule], dice: Random, **details: Any) -> None:
        super().__init__(sim, address, **details)
        self.sim = sim
        self.cheat = _WatchingCheat(self, dice, rules=rules)

    @property
    def connection(self) -> Any:
        return self._connection

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        super().receive_datagram(data, address, now=now)
        self.cheat.received(bytes(data), address, now)

    def datagrams_to_send(self, *, now: float) -> Datagrams:
        self.cheat.turn(now)
        return self.cheat.datagrams(super().datagrams_to_send(now=now), now)


# Compositions with names, for tests and tables that are about one of them.

CHEATS: dict[str, tuple[Rule, ...]] = {
    "no-inputs": (Rule(what="withhold", kind=INPUTS),),
    "false-checksums": (Rule(what="forge", kind=INPUTS, share=0.5),),
    "withholds-acknowledgements": (Rule(what="withhold", kind="CONTROL"),),
    "withholds-statements-from-one": (Rule(what="withhold", kind="STATEMENT", whom="one"),),
    "withholds-consents-from-one": (Rule(what="withhold", kind="CONSENT", whom="one"),),
    "floods-evidence": (Rule(what="flood", kind="EVIDENCE"),),
    "changes-its-mind": (Rule(what="say-twice", kind=INPUTS, share=0.2),),
    "signs-both": (
        Rule(what="contradict", kind=INPUTS, whom="one"),
        Rule(what="contradict", kind="RANGE", whom="one"),
    ),
    "signs-others": (Rule(what="forge", kind="RANGE"),),
    "signs-nothing": (Rule(what="withhold", kind="RANGE"),),
    "forges-signatures": (Rule(what="unasked", kind="SIGNED"),),
    "vanishes": (Rule(what="vanish-before", kind=DATAGRAM),),
    "watches-and-knocks": (Rule(what="knock"),),
}
