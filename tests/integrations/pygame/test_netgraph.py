"""The picture of the network: figures of the worst link, and bars of resimulated frames."""

from dataclasses import replace

import pygame
import pytest

from retick.integrations.page_drawing import HEIGHT, WIDTH, draw_graph
from retick.integrations.pygame.program import SurfaceCanvas
from retick.playing.network_report import DEEPEST, FRAMES, NetGraph, NetworkReport
from retick.rollback import PeerStats, SessionStats

PEER = PeerStats(
    rtt=0.05, loss_in=0.1, loss_out=0.02, packets_per_second_out=60, bytes_per_second_out=2000,
    lead=1, their_lead=1, unacknowledged=3,
)  # fmt: skip
STATS = SessionStats(
    frame=100, confirmed_frame=98, rollbacks=7, resimulated_frames=20, deepest_rollback=5, rollback_depths={5: 1},
    stalls=0, stalled_seconds=0.0, slowing=0.0, compared_frames=6, peers={},
)  # fmt: skip


def test_the_worst_link_is_shown() -> None:
    nobody = NetworkReport.of(STATS)
    assert nobody.figures() == ["round trip unknown", "lost 0% in 0% out", "7 rollbacks of up to 5", "0 stalls"]
    several = NetworkReport.of(replace(STATS, peers={0: PEER, 1: replace(PEER, rtt=0.09), 2: replace(PEER, rtt=None)}))
    assert several.figures()[:2] == ["round trip 90 ms", "lost 10% in 2% out"]
    assert several.octets == 6000


def test_bars_are_the_frames_resimulated_with_each_frame_and_never_too_many() -> None:
    graph = NetGraph()
    for total in (500, 503, 503, 0, 2):  # shown late, then a rematch
        graph.note(replace(STATS, resimulated_frames=total))
    assert list(graph.depths) == [0, 3, 0, 0, 2]
    for _ in range(2 * FRAMES):
        graph.note(STATS)
    assert len(graph.depths) == FRAMES


@pytest.mark.parametrize("depth", [1, DEEPEST, 2 * DEEPEST])
def test_it_stays_in_its_corner(depth: int) -> None:
    pygame.font.init()
    graph = NetGraph()
    graph.note(replace(STATS, resimulated_frames=depth, peers={0: PEER}))
    screen = pygame.Surface((640, 480))
    screen.fill((9, 9, 9))
    draw_graph(SurfaceCanvas(screen), graph)
    corner = pygame.Rect(640 - WIDTH - 8, 8, WIDTH, HEIGHT)
    for x in range(0, 640, 3):
        for y in range(0, 480, 3):
            assert corner.collidepoint(x, y) or screen.get_at((x, y))[:3] == (9, 9, 9)
