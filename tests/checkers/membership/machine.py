"""One machine of the model: a real session, and what it does when something happens to it.

Theory of operation. Machines share nothing but messages. So what a machine does is a function of its own state and of
what happens to it: each such pair is run once on the real code and remembered, however many states of the whole model
it occurs in. A state that was met is kept as bytes; it is brought to life, run, and put away again.

Everything that goes in and comes out has its frames relative to the frame that the machine was about to run
(``ORIGIN``): states of a match that has run for longer are the same states.
"""

import pickle
import traceback
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple
from unittest import mock

from retick._kernels import is_compiled
from retick.errors import UsageError
from retick.link import LinkConfig
from retick.rollback.events import MatchEnded, MatchEvent, MatchStarted, PlayersDropped, PlayersReturned
from retick.rollback.match import match as match_module
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match, Pace
from retick.rollback.session import drop_agreement as drop_agreement_module
from retick.rollback.session import inside as inside_module
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.routes import MessageRoutes
from retick.rollback.session.session import Phase, RollbackSession
from retick.routes import routed_link
from tests.checkers.membership.canonical import newest_frame, session_digest
from tests.checkers.membership.frames import ORIGIN, frames_in, shift_fact, shift_item, shift_message
from tests.checkers.membership.game import seats_game
from tests.checkers.membership.link import Item, Key, ModelLink
from tests.checkers.membership.view import OVER, View, view_of

__all__ = ["ENDED", "QUANTUM", "Happening", "Machines", "Result"]

QUANTUM = 3.1
"""Seconds that pass in one step of time: a little more than the shortest bound of membership, 3 s."""
CONFIG = MatchConfig(
    # A frame lasts so long that a promise is one frame ahead, and a newcomer three frames behind is level.
    tick_rate=4,
    prediction_window=1,
    input_delay=0,
    history=16,
    max_backlog=32,
    inputs_remembered=160,
    checksum_interval=0,
    end_when_alone=False,
)
STARTED_AT = 1000.0
"""The clock of every machine at its start: what is at 0 is long ago."""
MOST_CAUGHT_UP = 64
MOST_LIVE = 1000
"""Sessions that are kept as they are, beside their bytes."""
SHOWN_INPUTS = 3
"""Inputs of a lost player that a DROP shows; who misses more asks for them."""

Happening = tuple[Any, ...]
"""What happens to a machine: a word for its kind, and its details."""
ENDED = ("ended",)
"""In place of a digest: a session that is over only refuses, whatever it was before."""


class Result(NamedTuple):
    """What a machine has done."""

    local: int
    """The number of its next state."""
    moved: int
    """By how many frames it went on."""
    posted: tuple[tuple[Hashable, Key, Item], ...]
    payloads: tuple[tuple[Hashable, Key, bytes], ...]
    facts: tuple[tuple[Any, ...], ...]
    error: str
    """The traceback of an exception that escaped; empty if none did."""


class _Kept(NamedTuple):
    """A state of one machine."""

    data: bytes
    frame: int
    now: float


class Timeless(Pace):
    """A pace at which every frame is due: in the model frames run when the search says so."""

    def is_early(self, now: float) -> bool:
        return False

    def frame_run(self, now: float, ahead: float) -> None:
        """No frame is planned."""


class _Entropy:
    """The same bytes for everyone; none of them looks like a part of a frame."""

    def __call__(self, count: int) -> bytes:
        return b"\x11" * count


class Machines:
    """Every state of a machine that was met, by number, and what follows from it."""

    def __init__(self, seats: int, config: MatchConfig = CONFIG) -> None:
        if is_compiled():
            raise UsageError("the model needs sessions that can be copied: set RETICK_PURE=1")
        self.seats = seats
        self.views: list[View] = [OVER]
        self.runs = 0
        """How often the real code was run."""
        self._config = config
        self._kept: list[_Kept] = [_Kept(b"", ORIGIN, STARTED_AT)]
        self._live: dict[int, RollbackSession] = {}
        """The newest states as sessions, until something happens to them: that is sooner than reading them again."""
        self._numbers: dict[Any, int] = {ENDED: 0}
        self._results: dict[tuple[int, Happening], Result] = {}
        self.items: list[Item] = []
        """Everything that has travelled between machines, by number."""
        self._item_numbers: dict[Item, int] = {}
        self._oldest_frames: dict[int, int] = {}
        self._moved_items: dict[tuple[int, int], int] = {}

    def open(self, name: str, host: str | None, first_dial: int = 0) -> Result:
        """A program starts: it hosts, or it asks ``host`` for a seat."""
        link = partial(ModelLink, name=name, first_dial=first_dial)
        with _abstracted(), mock.patch.object(routed_link, "LinkEndpoint", link):
            session = RollbackSession(
                seats_game(self.seats), entropy=_Entropy(), config=self._config, host_address=host, sealed=False
            )
            return self._put_away(session, ORIGIN, STARTED_AT, "")

    def item_number(self, item: Item) -> int:
        number = self._item_numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number

    def moved_item(self, number: int, by: int) -> int:
        """The number of an item with its frames moved."""
        found = self._moved_items.get((number, by))
        if found is None:
            found = self._moved_items[number, by] = self.item_number(shift_item(self.items[number], by))
        return found

    def oldest_frame(self, number: int) -> int:
        """The oldest frame in an item; ORIGIN if there is none."""
        found = self._oldest_frames.get(number)
        if found is None:
            found = self._oldest_frames[number] = min(
                (frame for part in self.items[number] if isinstance(part, bytes) for frame in frames_in(part)),
                default=ORIGIN,
            )
        return found

    def is_about_joining(self, number: int) -> bool:
        """Whether an item can be a part of somebody's joining."""
        kind, *contents = self.items[number]
        return not (kind == "bye" or (kind == "message" and contents[0][0] in (MessageKind.DROP, MessageKind.FORWARD)))

    def after(self, local: int, happening: Happening) -> Result:
        """What machine state ``local`` does when this happens."""
        found = self._results.get((local, happening))
        if found is None:
            found = self._results[local, happening] = self._run(local, happening)
        return found

    def _run(self, local: int, happening: Happening) -> Result:
        if local == 0:
            return _answer_of_ended(happening)
        self.runs += 1
        kept = self._kept[local]
        session: RollbackSession = self._live.pop(local) if local in self._live else pickle.loads(kept.data)
        if happening[0] == "arrive" and happening[3][0] == "message":
            inside = inside_of(session)
            inside.routes = MessageRoutes(inside.parts)
        now = kept.now + (QUANTUM if happening[0] == "wait" else 0.0)
        with _abstracted():
            error = _let_happen(session, happening, kept.frame - ORIGIN, now)
            return self._put_away(session, kept.frame, now, error)

    def _put_away(self, session: Any, before: int, now: float, error: str) -> Result:
        events = session.events()
        link: Any = inside_of(session).link
        posted, link.posted = link.posted, []
        payloads, link.payloads = link.payloads, []
        if session.phase is Phase.ENDED:
            number, frame = 0, before
        else:
            frame = _frame_of(session)
            number = self._number(session, frame, now)
        back = ORIGIN - before
        return Result(
            number,
            frame - before,
            tuple((to, key, shift_item(item, back)) for to, key, item in posted),
            tuple((to, key, shift_message(data, back)) for to, key, data in payloads),
            tuple(shift_fact(fact, back) for event in events for fact in _facts_of(event, session)),
            error,
        )

    def _number(self, session: Any, frame: int, now: float) -> int:
        inside = inside_of(session)
        inside.now = now
        digest = session_digest(inside, frame, now)
        number = self._numbers.get(digest)
        if number is None:
            number = self._numbers[digest] = len(self._kept)
            self._kept.append(_Kept(_dumped(session), frame, now))
            self._live[number] = session
            if len(self._live) > MOST_LIVE:
                del self._live[next(iter(self._live))]
            self.views.append(view_of(inside, frame))
        return number


class _Pickler(pickle.Pickler):
    """Leaves out what is the same in all sessions, and the routes, which are made again where a message arrives."""

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.dispatch_table = {
            MessageRoutes: lambda routes: (_none, ()),
            MatchConfig: lambda config: (_shared, (_share(config),)),
            LinkConfig: lambda config: (_shared, (_share(config),)),
        }


_SHARED: list[Any] = []
"""Configurations, each once: nobody changes them."""


def _share(config: Any) -> int:
    if config not in _SHARED:
        _SHARED.append(config)
    return _SHARED.index(config)


def _shared(number: int) -> Any:
    return _SHARED[number]


def _none() -> None:
    """In place of the routes."""


def _dumped(session: RollbackSession) -> bytes:
    file = BytesIO()
    _Pickler(file).dump(session)
    return file.getvalue()


@contextmanager
def _abstracted() -> Iterator[None]:
    """Matches begin at ORIGIN and have no pace, and a DROP shows few inputs."""
    with (
        mock.patch.object(inside_module, "Match", partial(Match, start_frame=ORIGIN)),
        mock.patch.object(match_module, "Pace", Timeless),
        mock.patch.object(drop_agreement_module, "KNOWN_INPUTS", SHOWN_INPUTS),
    ):
        yield


def _let_happen(session: RollbackSession, happening: Happening, ahead: int, now: float) -> str:
    """Do it; the traceback if anything escapes."""
    kind, *details = happening
    inside = inside_of(session)
    link: Any = inside.link
    try:
        if kind == "arrive":
            address, key, item = details
            session.receive_datagram((key, shift_item(item, ahead)), address, now=now)  # type: ignore[arg-type]  # the model's link reads it
        elif kind == "leave":
            session.close("leaves")
        elif kind == "full":
            link.is_full = True
        else:
            if kind == "wait":
                link.time_passed(details[0])
            session.handle_timeout(now=now)
            if kind == "tick":
                _run_frames(session, now)
            elif inside.match is not None:
                # Frames were run meanwhile; what is due after a frame is due.
                inside.match.is_unsent = True
            session.datagrams_to_send(now=now)
    except Exception:  # whatever escapes is what the search looks for
        return traceback.format_exc()
    if inside.match is not None:
        for exchange in inside.match.exchanges:
            # The match began at ORIGIN, and not at 0: nothing before was ever to be acknowledged.
            exchange.acknowledged = max(exchange.acknowledged, ORIGIN - 1)
    return ""


def _run_frames(session: RollbackSession, now: float) -> None:
    """One frame, if it may run; a newcomer that does not play yet runs all that it can."""
    for _ in range(MOST_CAUGHT_UP):
        match = inside_of(session).match
        if match is None or not session.due(now=now):
            return
        pressed = tuple(player + 1 for player in session.local_players)
        session.advance(pressed if len(pressed) > 1 else pressed[0], now=now)
        if match.joins_at is not None:
            return


def _frame_of(session: RollbackSession) -> int:
    inside = inside_of(session)
    if inside.match is not None:
        frame: int = inside.match.engine.frame
        return frame
    return newest_frame(inside) or ORIGIN


def _facts_of(event: MatchEvent, session: Any) -> Iterator[tuple[Any, ...]]:
    """What an event says about membership."""
    if isinstance(event, PlayersDropped):
        for player in event.players:
            yield ("dropped", _occupant(session, player), player, event.frame)
    elif isinstance(event, PlayersReturned):
        for player in event.players:
            yield ("joined", event.peer, player, event.frame)
    elif isinstance(event, MatchStarted) and event.frame:
        for player in event.local_players:
            yield ("joined", session.peer_id, player, event.frame)
    elif isinstance(event, MatchEnded):
        yield ("ended", event.reason)


def _occupant(session: Any, player: int) -> int:
    """The lost peer that had this seat."""
    lost: dict[int, tuple[int, ...]] = inside_of(session).drop_agreement.lost
    return next(peer_id for peer_id, players in lost.items() if player in players)


def _answer_of_ended(happening: Happening) -> Result:
    posted: tuple[tuple[Hashable, Key, Item], ...] = ()
    if happening[0] == "arrive" and happening[3][0] == "request":
        _, address, key, _ = happening
        posted = ((address, key, ("refuse", 9, "the match is over here")),)
    return Result(0, 0, posted, (), (), "")
