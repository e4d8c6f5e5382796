"""What a match page says about its session, in lines of text."""

from collections.abc import Callable, Sequence
from itertools import takewhile

from retick.integrations.pygame.names import names_by_seat
from retick.link import Reason
from retick.playing.link_form import PLAIN, LinkForm, why_refused
from retick.playing.online import OnlineStatus
from retick.rollback import DesyncReport, PeerDisconnected, RollbackSession

__all__ = ["report_lines", "room_lines", "why_gone"]

MOST_REPORT_LINES = 7


def room_lines(session: RollbackSession, online: OnlineStatus) -> list[str]:
    """How others join an online match, and who is in the waiting room."""
    me, here = session.local_players, names_by_seat(session.roster)
    if not me:
        return ["", "Connecting ..."]
    return [*_invitation(online), ""] + [
        f"player {player + 1}:  " + here.get(player, "waiting ...") + ("  (you)" if player in me else "")
        for player in range(session.sim.num_players)
    ]


def _invitation(online: OnlineStatus) -> list[str]:
    if not online.code or online.ready is None:
        return []
    if online.ready.invite is not None:
        return [
            f"Others join with this line; nobody comes in without it: {online.ready.invite.text()}",
            "It is on the clipboard: paste it to whom you want to play with.",
        ]
    return [
        f"Others join by this code, at the same relay: {online.code}",
        "The relay vouches for the keys: compare the words when the match starts.",
    ]


def why_gone(event: PeerDisconnected, called: Callable[[Sequence[int]], str], form: LinkForm = PLAIN) -> str:
    """Why a peer is not there any more; ``called`` names players, ``form`` is that of our own links."""
    if refused := why_refused(event.reason, event.text, form):
        return refused[0].upper() + refused[1:]
    if event.reason == Reason.GOODBYE:
        who = called(event.players) if event.players else "the host"
        return f"{who} left: {event.text}".removesuffix(": goodbye")
    if event.reason == Reason.NO_ANSWER:
        return "There is no answer. Is a host waiting there, and does its firewall let UDP through?"
    return f"{called(event.players)}: {event.text}" if event.players else event.text


def report_lines(report: DesyncReport) -> list[str]:
    """The beginning of a report; the inputs at its end are for whoever opens the file."""
    lines = list(takewhile(lambda line: not line.startswith("inputs"), str(report).splitlines()))
    more = [f"and {len(lines) - MOST_REPORT_LINES} lines more"] if len(lines) > MOST_REPORT_LINES else []
    return [*lines[:MOST_REPORT_LINES], *more]
