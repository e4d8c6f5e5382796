"""The story of a match for a person: who came and left, who is waited for, whether the peers diverged, how it ended.

The window, the studio and the terminal all tell it from one :class:`MatchStory`.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from retick.errors import UsageError
from retick.link import Reason
from retick.playing.link_form import PLAIN, LinkForm, why_not_this_game, why_refused
from retick.rollback.desync import DesyncReport
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    PlayersDropped,
    PlayersReturned,
    Resumed,
    RosterChanged,
    RosterPeer,
    Stalled,
)


class MatchStory:
    """Follows the events of one session."""

    def __init__(self, session: Any, *, compares_words: bool = False) -> None:
        """``compares_words`` fills ``words`` for a match whose links have no secret."""
        self.names: dict[int, str] = {}
        """Name of the player of each seat; it stays when the player leaves."""
        self.silent = ""
        """Who is silent, as a line; empty if nobody is."""
        self.waiting = ""
        """A line on the players whose inputs are waited for; empty if no inputs are."""
        self.waiting_since = 0.0
        self.news = ""
        """What changed the match last, as a line, such as a player who left; empty once it is over."""
        self.words: dict[tuple[int, ...], str] = {}
        """Words that the people at these seats must see too, by seats."""
        self.desync: DesyncDetected | None = None
        """The desync that was seen, until its report shows a false alarm."""
        self.report: DesyncReport | None = None
        """The report that has found the difference."""
        self.gone: PeerDisconnected | None = None
        """The newest peer that disconnected."""
        self.ended: str | None = None
        """Why the match ended; None before that."""
        self._session = session
        self._compares_words = compares_words

    @property
    def notice(self) -> str:
        """The line to show right now; empty for none."""
        return self.silent or self.waiting or self.news

    @property
    def why(self) -> str:
        """Why the match ended early, as the peer that left or the session says it."""
        return (self.gone.text if self.gone is not None else "") or self.ended or ""

    def note(self, event: MatchEvent, now: float = 0.0) -> str:
        """Note an event; return a line about it if people should hear of it once."""
        self.names |= names_by_seat(getattr(self._session, "roster", ()))
        words = words_after(event, self._session) if self._compares_words else None
        self.words = self.words if words is None else words
        match event:
            case MatchStarted():
                self.silent = self.waiting = self.news = ""
                self.desync = self.report = None
            case Stalled():
                self.waiting, self.waiting_since = f"waiting for {self.called(event.waiting_for)} ...", now
            case Resumed():
                self.waiting = ""
            case PeerInterrupted():
                self.silent = f"nothing is received from {self.peer_name(event.peer)} ..."
            case PeerResumed():
                self.silent = ""
            case PlayersDropped():
                self.silent, self.news = "", f"{self.called(event.players)} left"
                return self.news
            case PlayersReturned():
                self.silent = self.news = ""
                return f"{self.called(event.players)} joined"
            case DesyncDetected():
                self.desync, self.news = event, "the peers have diverged: finding out where ..."
                return self.news
            case DesyncReported():
                if event.report.first_differing is not None:
                    self.report, self.news = event.report, ""
                elif not self._session.investigating:
                    # A false alarm. Otherwise the report on another difference is still to come.
                    self.desync, self.news = None, ""
            case PeerDisconnected():
                self.gone = event
            case MatchEnded():
                self.silent = self.waiting = self.news = ""
                self.ended = event.reason
        return ""

    def called(self, players: Iterable[int]) -> str:
        """Name some players, in a sentence for the person here."""
        return names_of(players, self.names, me=getattr(self._session, "local_players", ()))

    def peer_name(self, peer_id: object) -> str:
        """Name the players of a peer."""
        roster = getattr(self._session, "roster", ())
        return self.called(next((peer.players for peer in roster if peer.peer_id == peer_id), ()))


def names_by_seat(roster: Iterable[RosterPeer]) -> dict[int, str]:
    """The name of the player of each seat; if two people have the same name, with the seat's number."""
    peers = list(roster)
    count = Counter(peer.name for peer in peers)
    names = {}
    for peer in peers:
        for player in peer.players:
            again = f" ({player + 1})" if count[peer.name] > 1 else ""
            names[player] = f"{peer.name}{again}" if peer.name else f"player {player + 1}"
    return names


def names_of(players: Iterable[int], names: Mapping[int, str], *, me: Iterable[int] = ()) -> str:
    """Name some players in a sentence."""
    called = ("you" if player in me else names.get(player, f"player {player + 1}") for player in players)
    return " and ".join(dict.fromkeys(called)) or "somebody"


def why_gone(event: PeerDisconnected, called: Callable[[Sequence[int]], str], form: LinkForm = PLAIN) -> str:
    """Why a peer is gone; ``called`` names players, ``form`` is the form of our links."""
    if refused := why_refused(event.reason, event.text, form) or why_not_this_game(event.reason, event.text):
        return refused[0].upper() + refused[1:]
    if event.reason == Reason.GOODBYE:
        who = called(event.players) if event.players else "the host"
        return f"{who} left: {event.text}".removesuffix(": goodbye")
    if event.reason == Reason.NO_ANSWER:
        return "There is no answer. Is a host waiting there, and does its firewall let UDP through?"
    return f"{called(event.players)}: {event.text}" if event.players else event.text


class Arrivals:
    """Makes a line for each peer that connects, with its name and fingerprint, for people to compare.

    A peer sends its name right after its link is up, so its line waits for that. A joiner's roster also names peers
    without a link; they get a line when they connect.
    """

    def __init__(self) -> None:
        self._connected: set[Hashable] = set()
        """Peers that have connected and did not get a line yet."""

    def lines_after(self, event: MatchEvent, session: Any) -> list[str]:
        """A line for each peer about which everything is known after this event."""
        if isinstance(event, PeerConnected):
            self._connected.add(event.peer)
        elif isinstance(event, PeerDisconnected):
            self._connected.discard(event.peer)
        elif self._connected and isinstance(event, RosterChanged | MatchStarted | PlayersReturned):
            found = [each for each in session.roster if each.peer_id in self._connected]
            self._connected -= {each.peer_id for each in found}
            return [in_words(each) for each in found]
        return []


def in_words(peer: RosterPeer) -> str:
    """Describe a peer in one line."""
    seats = " and ".join(str(player + 1) for player in peer.players)
    name = f" ({peer.name})" if peer.name else ""
    proved = f", fingerprint {peer.fingerprint}" if peer.fingerprint else ""
    return f"connected: player {seats}{name}{proved}"


def words_after(event: MatchEvent, session: Any) -> dict[tuple[int, ...], str] | None:
    """The words to compare with each other peer, by its seats; None if this event does not change them.

    People compare them in an open match, where no secret shows that nobody sits between them.
    """
    # Not for each connection: words are slow to make, and strangers may connect to an open host as often as they like.
    if not isinstance(event, MatchStarted | PlayersReturned):
        return None
    found = {}
    for peer in session.roster:
        with suppress(UsageError):  # ourselves, or a peer that is gone again
            found[peer.players] = " ".join(session.words(peer.peer_id))
    return found
