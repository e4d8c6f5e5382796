"""How far behind a player saw the others: what the client claims, within what the link has measured.

An input for tick t is pressed while the server is at about t - early - rtt/2. The newest snapshot that the client can
have then left the server rtt/2 before that, and the client draws it a little later. So nobody honest sees the others
further behind than early + rtt + the delay of drawing; a slack covers the jitter of both. Each input has its own
limit: one that comes very early says nothing about those for the ticks before it.
"""
# retick: floats -- seconds of the network; what follows from them is a whole number, and recorded

from typing import Final

from retick.authority.timing import ms_to_ticks

__all__ = ["SLACK_TICKS", "measured_ticks", "ticks_behind"]

SLACK_TICKS: Final = 3
SIXTEENTHS: Final = 16


def measured_ticks(*, rtt: float, delay: float, rate: int) -> int:
    """Ticks that one can see the others behind an input that is not early; ``rtt`` and ``delay`` in seconds."""
    return 1 + ms_to_ticks(1000 * (rtt + delay), rate) + SLACK_TICKS


def ticks_behind(viewed: int, *, early: int, measured: int, most: int) -> int:
    """Whole ticks, 1 or more, from a claim in 16ths of a tick; the nearest tick is taken.

    ``early``: ticks that the input came early; ``measured``: from :func:`measured_ticks`.
    """
    claimed = (viewed + SIXTEENTHS // 2) // SIXTEENTHS
    return max(1, min(claimed, early + measured, most))
