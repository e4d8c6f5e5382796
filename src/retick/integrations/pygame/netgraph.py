"""A small picture of the network in a corner: F3 shows and hides it."""

from collections import deque

import pygame
from pygame import Surface

from retick.integrations.pygame.pages import ACCENT, BRIGHT, darken, write
from retick.rollback import SessionStats

__all__ = ["NetGraph"]

FRAMES = 120
WIDTH, HEIGHT, BARS = FRAMES + 12, 156, 30
"""Pixels; a bar has one for each frame."""
DEEPEST = 12
"""Resimulated frames of the highest bar."""


class NetGraph:
    """Bars of how many frames were resimulated with each frame, and the figures of the worst link."""

    def __init__(self) -> None:
        self.shown = False
        self._depths: deque[int] = deque(maxlen=FRAMES)
        self._resimulated = 0

    def note(self, stats: SessionStats) -> None:
        """After each frame."""
        depth = stats.resimulated_frames - self._resimulated
        self._resimulated = stats.resimulated_frames
        # The first figure after it was hidden, or after another match began, is no depth of one frame.
        self._depths.append(depth if 0 <= depth <= 2 * DEEPEST else 0)

    def draw(self, screen: Surface, stats: SessionStats, way: str = "") -> None:
        """In the upper right corner; ``way`` says whether the others are reached directly."""
        left, top = screen.get_width() - WIDTH - 8, 8
        darken(screen, pygame.Rect(left, top, WIDTH, HEIGHT))
        for number, depth in enumerate(self._depths):
            if depth:
                height = min(depth, DEEPEST) * BARS // DEEPEST
                pygame.draw.line(
                    screen, ACCENT, (left + 6 + number, top + BARS + 4), (left + 6 + number, top + BARS + 4 - height)
                )
        y = top + BARS + 8
        for line in (*_lines(stats), *filter(None, [way.partition(";")[0]])):
            y += write(screen, line, (left + 6, y), size=18, colour=BRIGHT) + 2


def _lines(stats: SessionStats) -> list[str]:
    lines = [f"frame {stats.frame}", f"rollbacks {stats.rollbacks}", f"deepest {stats.deepest_rollback}"]
    peers = list(stats.peers.values())
    if not peers:
        return lines
    round_trips = [peer.rtt for peer in peers if peer.rtt is not None]
    rtt = f"{max(round_trips) * 1000:.0f} ms" if round_trips else "?"
    loss = max(max(peer.loss_in, peer.loss_out) for peer in peers)
    sent = sum(peer.bytes_per_second_out for peer in peers)
    return [*lines, f"round trip {rtt}", f"lost {loss:.0%}", f"{sent / 1000:.1f} kB/s out"]
