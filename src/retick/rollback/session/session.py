"""A match over links, from the first connection to the end. Sans-I/O, like everything below ``transport``.

Theory of operation. One peer hosts; the others dial it and are given seats (``joining.lobby``). When every seat is
taken the host tells all of them who takes part, each calls those that came before it, and once all links are up the
host gives the seed and the match starts. From then on peers are equal: inputs travel directly between each two of them,
they decide together who is lost and what comes next (``membership``), newcomers take free seats (``joining.sponsor``),
spectators watch (``spectator_feed``). Each of these is a part (``part``) of the session's inside (``inside``). The
states are in docs/guides/rollback-sessions.md.

The class here is the one that applications use: it has only documented names.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retick.errors import UsageError
from retick.link import Invite, Reason
from retick.link.request import NO_SEAT_TOKEN
from retick.rollback.engine.cues import CueEvent
from retick.rollback.events import RosterPeer
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.recording import Recording, RecordsMatches
from retick.rollback.match.stats import SessionStats
from retick.rollback.session.core import SessionCalls
from retick.rollback.session.inside import SessionInside
from retick.rollback.session.link_config import sealing_of
from retick.rollback.session.messages.roster import MAX_SEATS_EACH
from retick.rollback.session.peer import Phase
from retick.routes.online import Online
from retick.routes.routed_link import host_name, routes_of
from retick.routes.routes import Routes
from retick.sim.contract import Between

__all__ = ["Phase", "RollbackSession"]


class RollbackSession(SessionCalls):
    """One peer's side of a match: five calls for the network, ``due`` and ``advance`` for the frames."""

    if TYPE_CHECKING:
        _inside: SessionInside

    _inside_class = SessionInside
    """The class of the session's inside; tests replace it with peers that cheat."""

    def __init__(
        self,
        sim: Any,
        *,
        entropy: Callable[[int], bytes],
        config: MatchConfig | None = None,
        seats: int = 1,
        host_address: Hashable | None = None,
        record: RecordsMatches | None = None,
        name: str = "",
        profile: bytes = b"",
        seat_token: bytes = NO_SEAT_TOKEN,
        reconnect: bool = False,
        sealed: bool = True,
        invite: Invite | str | None = None,
        identity: bytes | None = None,
        keylog: Callable[[str], None] | None = None,
        online: Online | None = None,
    ) -> None:
        """Host, or with ``host_address`` join, a match of ``sim`` with ``seats`` players at this peer.

        ``name`` is shown to people, ``profile`` is the application's: at most 64 and 128 bytes, known to all others.
        ``seat_token`` comes from a session that held seats before: this one gets the same seats back. With
        ``reconnect`` the session comes back by itself after all others were lost through silence.

        ``host_address`` may also be any peer of a running match with free seats. ``entropy(n)`` gives n random bytes:
        ``os.urandom``, or a seeded generator's in a test. ``record`` gets every final frame:
        ``retick.replay.LiveRecording("match.rtk")``, or any object with its methods.

        With an ``invite``, the same at all peers, only peers that have it can join. ``identity`` is a lasting private
        key of this machine, 32 random bytes kept in a file: others recognise it by its fingerprint. ``keylog`` gets a
        line with the keys of each link: ``retick packet --keylog`` reads a capture with it.

        ``online`` meets the others at a relay: without a code it hosts, with one it joins, and there is no
        ``host_address``.
        """
        if online is not None:
            host_address = host_name(online, host_address)
        if not 1 <= seats <= sim.num_players:
            raise UsageError(f"seats must be from 1 to the game's {sim.num_players} players, not {seats}")
        if MAX_SEATS_EACH < seats < sim.num_players:
            raise UsageError(f"one peer of several plays at most {MAX_SEATS_EACH} seats, not {seats}")
        super().__init__(
            self._inside_class(
                sim,
                config or MatchConfig(),
                entropy,
                host_address,
                seats=seats,
                own=(name, profile),
                record=record,
                shown_token=seat_token,
                reconnect=reconnect,
                sealing=sealing_of(sealed=sealed, invite=invite, identity=identity, keylog=keylog),
                online=online,
            )
        )

    # The match.

    @property
    def sim(self) -> Any:
        """The game as it was given."""
        return self._inside.sim

    @property
    def config(self) -> MatchConfig:
        """The settings as they were given."""
        return self._inside.config

    @property
    def world(self) -> Any:
        """For a game with a mutable world: an instance to draw, in the present state and never unfinished.

        It is the same object each time. Draw it at once, and do not change it.
        """
        return self._inside.picture.world(self.state)

    def between(self, *, now: float) -> Between:
        """For screens faster than the match: the last two states, and how far the picture is between them."""
        return self._inside.picture.between(self._inside.shown_match(), now)

    def cues(self, *, tolerance: int = 0) -> list[CueEvent]:
        """Sounds and effects that started, were confirmed or cancelled since the last call; ask every frame.

        A cue that a rollback moves by up to ``tolerance`` frames is not started again; a match's first call sets it.
        """
        return self._inside.cues.drain(tolerance)

    def stats(self, *, now: float) -> SessionStats:
        """All statistics of the match now."""
        return self._inside.shown_match().stats(now)

    def adjust(self, *, input_delay: int | None = None, prediction_window: int | None = None) -> None:
        """Change these settings of the running match from the next frame on; a rematch starts from ``config``.

        Neither may exceed ``config``: the others were told of it, and refuse inputs that are further ahead.
        """
        engine = self._inside.shown_match().engine
        delay = engine.input_delay if input_delay is None else input_delay
        window = (engine.prediction_window or 0) if prediction_window is None else prediction_window
        most = self.config
        if not 0 <= delay <= most.input_delay or not 0 <= window <= most.prediction_window:
            raise UsageError(
                f"adjust takes an input_delay of 0 to {most.input_delay} and a prediction_window of 0 to "
                f"{most.prediction_window}, as in config, not {delay} and {window}"
            )
        replace(most, input_delay=delay, prediction_window=window)  # raises if they do not go together
        engine.set_input_delay(delay)
        engine.set_prediction_window(window)

    @property
    def recording(self) -> Recording | None:
        """The recording, if there is one; it feeds the recorder."""
        return self._inside.recording

    def rematch(self, seats: tuple[int, ...] = ()) -> None:
        """Propose to play again; it starts when all have proposed the same. By default seats move on by one peer.

        Otherwise ``seats[i]`` is the new seat for seat i: (0, 1) keeps the seats of two, (1, 0) swaps them.
        """
        self._inside.rematching.propose(tuple(seats))

    def pause(self) -> None:
        """Stop the match for all, at one frame, until every peer that has paused it has called ``resume``."""
        self._inside.pausing.pause()

    def resume(self) -> None:
        """Stop wanting a pause; the match continues when nobody else wants one."""
        self._inside.pausing.resume()

    @property
    def paused_by(self) -> tuple[int, ...]:
        """The ids of the peers, this one's included, that want the match to be paused."""
        return self._inside.pausing.wanted_by

    def resync(self, peer: int) -> None:
        """Continue after a desync from the state of peer ``peer``, once every other application has named it."""
        self._inside.is_quiet = False
        self._inside.resyncing.agree(peer)

    @property
    def routes(self) -> Routes | None:
        """How a session with ``online`` reaches each peer, and the code of its room; None for other sessions."""
        return routes_of(self._inside.link)

    @property
    def investigating(self) -> bool:
        """Whether a desync was seen and its report is still to come."""
        match = self._inside.match
        return match is not None and match.alarm.is_open

    # The peers.

    @property
    def is_host(self) -> bool:
        """Whether this session was made without a ``host_address``."""
        return self._inside.is_host

    @property
    def peer_id(self) -> int:
        """This peer's own id in the match, 0 for the host; a joiner learns it from the host."""
        return self._inside.peer_id

    @property
    def local_players(self) -> tuple[int, ...]:
        """The seats played here; a joiner learns its own when it is accepted."""
        return self._inside.local_players

    @property
    def seat_token(self) -> bytes:
        """The secret of the seats that this session gets: save it to come back with it, and tell nobody."""
        return self._inside.seat_token

    @property
    def roster(self) -> tuple[RosterPeer, ...]:
        """The peers that take part, with names and profiles, by id; while a joiner waits, the peers there so far."""
        return self._inside.profiles.roster()

    @property
    def reconnecting(self) -> bool:
        """Whether all others are lost and the session tries to come back; see ``Reconnecting``."""
        return self._inside.reconnect.is_trying

    @property
    def is_over(self) -> bool:
        """Whether the session has ended: no frame runs any more, and it does not come back."""
        return self._inside.phase is Phase.ENDED

    @property
    def peer_addresses(self) -> tuple[Hashable, ...]:
        """The addresses of the other players: save them with ``seat_token`` to come back."""
        return self._inside.peer_addresses

    def words(self, peer: int) -> tuple[str, ...]:
        """Four words that both ends of the sealed link to this peer share; takes about 50 ms.

        Two people who compare them aloud can be sure that nobody sits between them: for links without an ``invite``.
        """
        from retick.link.sealing.keys import words_of

        found = self._inside.peers.get(peer)
        known = b"" if found is None or found.connection is None else found.connection.handshake_hash
        if not known:
            raise UsageError(f"there is no sealed link to a peer {peer}")
        return words_of(known)

    @property
    def gone(self) -> tuple[int, ...]:
        """The seats of dropped players that are free."""
        return self._inside.gone

    @property
    def spectators(self) -> int:
        """How many spectators watch through this peer."""
        return self._inside.spectator_feed.size

    @property
    def dropped(self) -> dict[str, int]:
        """How many datagrams were dropped, by reason; packets within a match are counted in its statistics."""
        return {reason: count for reason, count in self._inside.link.dropped.items() if count}

    def send_message(self, data: bytes, *, peer: int | None = None, spectators: bool = False) -> bool:
        """Send the application's own bytes reliably: to the peer with this id, or to all that play.

        With ``spectators``, to those that watch through this peer instead. False if a queue is full, or nobody is
        connected.
        """
        return self._inside.application.send(data, peer, spectators=spectators)

    def drop(self, peer: int, *, ban: bool = False) -> None:
        """Stop hearing the peer with this id. In a match its players are dropped once all others stop hearing it too.

        With ``ban`` this session accepts no more links from its address, nor any with its lasting key if it has one,
        rematches included: as a newcomer needs a link with every peer, it cannot join the match again.
        """
        inside = self._inside
        if peer not in inside.peers:
            raise UsageError(f"there is no peer {peer} in this match: there are {sorted(inside.peers)}")
        connection = inside.peers[peer].connection
        if ban and connection is not None:
            inside.link.ban(connection.address, fingerprint=connection.fingerprint)
        inside.is_quiet = False
        inside.expel(inside.peers[peer], "shown out", reason=Reason.DENIED)

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave, after messages within ``linger`` seconds; keep the five calls going until ``next_timeout`` is None.

        After a desync it takes up to two seconds until all peers have what the report needs.
        """
        self._inside.leaving.leave(text, linger)
