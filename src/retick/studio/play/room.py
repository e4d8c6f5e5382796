"""The play room: a match of two peers over a network that the page's sliders make bad."""

import asyncio
import ipaddress
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

from retick.errors import NetworkUnavailable, RetickError
from retick.link import Invite
from retick.playing.key_files import sealed_form
from retick.playing.link_form import LinkForm
from retick.playing.way_in import OnlineWay, WayIn, way_in
from retick.rollback import CueCancelled, CueConfirmed
from retick.sim.contract import input_size_of
from retick.studio.play.matches import BotMatch, OnlineMatch, RoomMatch
from retick.studio.play.own_game import shown_game_for
from retick.studio.play.side import BOUNDS, MatchSettings
from retick.studio.room import LONGEST_NAME, FeedError, PageMessage, PageRoom, Settings, write_message


def is_ip(host: str) -> bool:
    """Whether the host is a numeric address, which needs no name server."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def look_up(host: tuple[str, int]) -> tuple[str, int]:
    """Resolve a host without blocking other rooms, to IPv4 if possible; NetworkUnavailable if that fails."""
    name, port = host
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError):  # ValueError: a malformed name
        found = []
    addresses = sorted((family != socket.AF_INET, str(where[0])) for family, _, _, _, where in found)
    if not addresses:
        raise NetworkUnavailable(f"no address is known for {name!r}: check the spelling and your DNS")
    return addresses[0][1], port


class Pressed:
    """The controller of the page's keys: a press between two frames counts for one frame, however short it was."""

    def __init__(self, bits: int) -> None:
        """``bits`` is the width of the game's input; further bits are ignored."""
        self._mask = (1 << bits) - 1
        self._held = 0
        self._tapped = 0

    def set(self, buttons: int) -> None:
        """Set all buttons that are held now."""
        buttons &= self._mask
        self._tapped |= buttons & ~self._held
        self._held = buttons

    def release(self) -> None:
        """Release all buttons."""
        self._held = self._tapped = 0

    def __call__(self, state: Any, now: float, /) -> int:
        pressed, self._tapped = self._held | self._tapped, 0
        return pressed


DEFAULT_PORT = 7777
LONGEST_WAY = 300
"""Most letters of an invite or an address."""
WIDEST = 2**53 - 1
"""Largest integer of a page; buttons beyond it cannot be pressed there."""
LONGEST_ERROR = 500
MOST_LEAVING = 8
"""Most matches that say goodbye at the same time; each may have a socket."""
MOST_CUES = 32
"""Most cues of one frame; further ones are left out."""
TABLE_EVERY = 4
PICTURE_EVERY = 2
"""Frames between two tables of a game's fields, and between two pictures."""


_log = logging.getLogger(__name__)


class PlayRoom(PageRoom):
    """The play room of one page, with at most one match."""

    name = "play"

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._settings = settings
        self._game = shown_game_for(settings.game)
        self._clock = clock
        self._set = MatchSettings()
        self._pressed = Pressed(8 * input_size_of(self._game.make()))
        self._match: RoomMatch | None = None
        self._leaving: list[RoomMatch] = []
        self._being_left = 0
        self._wanted: WayIn | None = None
        self._lookup: asyncio.Task[None] | None = None
        self._told: dict[str, Any] = {}
        self._end: dict[str, Any] | None = None
        self._wake = asyncio.Event()
        self._phase("ready", "")

    def hello(self) -> dict[str, Any]:
        self._pressed.release()  # a page that comes back sends the held keys again
        return {
            "game": self._game.hello(),
            "settings": self._set.plain(),
            "bounds": BOUNDS,
            "styles": self._game.styles,
            "phase": self._told,
            "columns": [] if self._match is None else list(self._match.you.columns),
            "end": self._end,
        }

    def receive(self, message: PageMessage) -> None:
        if message.type == "keys":
            self._pressed.set(message.integer("pressed", 0, WIDEST))
        elif message.type == "network":
            self._apply(self._set.with_network(message))
        elif message.type == "session":
            self._apply(self._set.with_session(message))
        elif message.type == "start":
            self._start(message)
        elif message.type == "leave":
            self._stop()
            self._phase("ready", "")
        else:
            super().receive(message)

    async def run(self) -> None:
        try:
            while True:
                await self._say_goodbyes()
                match = self._match
                if match is None or self._end is not None:
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                try:
                    self._turn(match)
                except (Exception, SystemExit) as error:  # some games exit
                    self._fail(error)
                    continue
                await asyncio.sleep(match.sleep())
        finally:
            if self._lookup is not None:
                self._lookup.cancel()
            self._stop()
            await self._say_goodbyes()

    def _start(self, message: PageMessage) -> None:
        against = message.choice("against", "bot", "host", "join")
        if len(self._leaving) + self._being_left >= MOST_LEAVING:
            raise FeedError("earlier matches are still being left: try again in a second")
        if against == "bot":
            style = message.choice("style", *self._game.styles) if self._game.styles else ""
            self._begin(BotMatch(self._game, style, self._keys, self._set, self._clock), "connecting")
        elif against == "host":
            self._begin(self._online(port=message.integer("port", 0, 65535)), "waiting")
        else:
            self._join(message.text("address", LONGEST_WAY).strip())

    def _begin(self, match: RoomMatch, phase: str) -> None:
        self._stop()
        self._match = match
        self._phase(phase, match.waiting)
        self._wake.set()

    def _online(self, *, port: int | None = None, host: WayIn | None = None) -> OnlineMatch:
        settings = self._set.with_real_network()
        match = OnlineMatch(self._game, self._keys, settings, self._clock, form=self._form, port=port, host=host)
        self._set = settings
        self.post("settings", settings=settings.plain())
        return match

    def _form(self, invite: Invite | None) -> LinkForm:
        """Make the form of links to other programs, which are sealed."""
        return sealed_form(invite, self._settings.identity, self._settings.keylog, _log.info)

    def _join(self, address: str) -> None:
        if not address:
            raise FeedError("paste the invite of the host: the line that it shows, retick:192.168.1.20:7777#...")
        host = way_in(address, default_port=DEFAULT_PORT)
        if isinstance(host, OnlineWay):
            raise FeedError("this is a relay's code: join in a terminal, with retick join")
        if is_ip(host.target[0]):
            self._begin(self._online(host=host), "connecting")
            return
        if self._lookup is not None and not self._lookup.done():
            raise FeedError("another name is still being looked up: try again in some seconds")
        self._stop()
        self._wanted = host
        self._phase("connecting", f"looking for {host.target[0]}")
        self._lookup = asyncio.create_task(self._look_up(host))

    async def _look_up(self, host: WayIn) -> None:
        """Resolve a host and join it; other rooms go on meanwhile."""
        try:
            found = await look_up(host.target)
            if self._wanted is host:
                self._begin(self._online(host=host._replace(target=found)), "connecting")
        except RetickError as error:
            if self._wanted is host:
                self._stop()
                self._phase("ready", "")
                self.post("error", text=str(error))

    def _stop(self) -> None:
        if self._match is not None:
            self._leaving.append(self._match)
        self._match = self._end = self._wanted = None
        self._wake.set()

    async def _say_goodbyes(self) -> None:
        while self._leaving:
            leaving, self._leaving = self._leaving, []
            self._being_left = len(leaving)
            try:
                said = await asyncio.gather(*(match.leave() for match in leaving), return_exceptions=True)
            finally:
                self._being_left = 0
                for match in leaving:
                    match.close()
            for error in said:
                if isinstance(error, Exception):
                    _log.error("a match could not be left", exc_info=error)

    def _keys(self, _sim: Any, _seed: int, _player: int) -> Pressed:
        return self._pressed

    def _apply(self, settings: MatchSettings) -> None:
        self._set = settings
        if self._match is not None:
            self._match.apply(settings)

    def _turn(self, match: RoomMatch) -> None:
        ran = match.turn()
        driver = match.you.driver
        if match.you.started and self._told["phase"] != "running":
            self._phase("running", "")
        if ran:
            self._show(match)
        said = driver.notice or "; ".join(f"compare aloud, both must see: {words}" for words in driver.words.values())
        if said != self._told["text"] and self._told["phase"] == "running":
            self._phase("running", said)
        if driver.over and (match.other is None or match.other.driver.over):
            self._finish(match)

    def _show(self, match: RoomMatch) -> None:
        for event in match.you.cues()[:MOST_CUES]:
            kind = {CueConfirmed: "confirmed", CueCancelled: "cancelled"}.get(type(event), "started")
            name, player = event.cue if isinstance(event.cue, tuple) and len(event.cue) == 2 else (event.cue, None)
            player = player if isinstance(player, int) else None
            self.post("cue", event=kind, name=str(name)[:LONGEST_NAME], player=player, frame=event.frame)
        self._show_made("frame", lambda: self._frame(match))
        self._show_own_game(match)

    def _show_made(self, key: str, make: Callable[[], str | bytes]) -> None:
        """Show a moment that is made when it is sent; a game that fails while drawing ends its match."""

        def made() -> str | bytes:
            try:
                return make()
            except (Exception, SystemExit) as error:
                self._fail(error)
                return write_message("phase", **self._told)

        self.outbox.show(key, made)

    def _fail(self, error: BaseException) -> None:
        """End the match because the game, or its drawing, has raised; the room goes on."""
        if self._match is None:
            return
        _log.exception("the match failed", exc_info=error)
        self._stop()
        self._phase("ready", "")
        self.post("error", text=f"the match ended: {type(error).__name__}: {error}"[:LONGEST_ERROR])

    def _frame(self, match: RoomMatch) -> str:
        """The newest state, and all columns that were not sent yet."""
        you, other = match.you, match.other
        columns = list(you.unsent)
        you.unsent.clear()
        ghost_frame, ghost = you.ghost()
        seen = other is not None and other.started
        return write_message(
            "frame",
            frame=you.session.frame,
            confirmed=you.columns[-1][1],
            you=you.shown(),
            other=other.shown() if other is not None and seen else None,
            ghost=ghost,
            other_frame=other.session.frame if other is not None and seen else None,
            ghost_frame=ghost_frame,
            other_depth=other.driver.depth if other is not None and seen else 0,
            columns=columns,
        )

    def _show_own_game(self, match: RoomMatch) -> None:
        """Show the table and pictures of a game that the page cannot draw itself."""
        game, you = self._game, match.you.session
        if game.has_table and match.you.frames % TABLE_EVERY == 0:
            self._show_made("table", lambda: write_message("table", **game.table(you)))
        if not game.has_jpeg or match.you.frames % PICTURE_EVERY:
            return
        self._show_made("picture of you", lambda: b"\0" + game.jpeg(you))
        if match.other is not None and match.other.started:
            other = match.other.session
            self._show_made("picture of the other", lambda: b"\1" + game.jpeg(other))

    def _finish(self, match: RoomMatch) -> None:
        driver = match.you.driver
        theirs = next(iter(driver.received_results.values()), None)
        text = driver.why
        if driver.result is not None and driver.confirmed is not None:
            text = text or self._game.outcome(driver.confirmed, match.names)
        self._end = {
            "text": text or "the match is over",
            "frame": None if driver.result is None else driver.result.frame,
            "yours": None if driver.result is None else f"{driver.result.checksum:08X}",
            "theirs": None if theirs is None else f"{theirs.checksum:08X}",
            "equal": driver.agreed,
        }
        self._phase("over", "")
        self.post("end", **self._end)

    def _phase(self, phase: str, text: str) -> None:
        match = self._match
        seat = match.you.driver.players[0] if match is not None and match.you.started else 0
        names = [] if match is None else list(match.names)
        both = match is not None and match.other is not None
        self._told = {"phase": phase, "text": text, "seat": seat, "names": names, "both": both}
        self.post("phase", **self._told)
