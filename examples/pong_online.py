"""Pong against another peer in a pygame window: ``pong_online.py`` hosts, ``pong_online.py ADDRESS`` joins."""

import os
import sys
from array import array
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pong import BALL, DEPTH, DOWN, HEIGHT, PADDLE, UP, WIDTH, Pong, PongState

from retick.replay import LiveRecording
from retick.rollback import CueCancelled, CueStarted, DesyncDetected, MatchEnded, RollbackSession
from retick.transport import Poll, open_udp, parse_address

PORT = 7777


def connect(host: str | None, port: int = PORT, record: str | None = None) -> tuple[RollbackSession, Poll]:
    socket = open_udp(port=port if host is None else 0)
    address = None if host is None else socket.resolve(*parse_address(host, default_port=port))
    recording = LiveRecording(record) if record else None
    session = RollbackSession(Pong(), entropy=os.urandom, host_address=address, record=recording, sealed=True)
    return session, Poll(session, socket)


def take_part(session: RollbackSession, wire: Poll, pressed: Callable[[], int]) -> str:
    """Call this once in every turn of the game's loop. Returns why the match is over, or an empty text."""
    for event in wire.poll():
        if isinstance(event, DesyncDetected):
            return f"the two peers diverged at frame {event.frame} or before"
        if isinstance(event, MatchEnded):
            return event.reason
    now = wire.clock()
    while session.due(now=now):
        session.advance(pressed(), now=now)
    wire.flush(now)
    return ""


def play_sounds(session: RollbackSession, sounds: dict[str, Any]) -> None:
    """Call this once in every turn too. However often a frame is resimulated, each sound starts once."""
    for event in session.cues():
        if isinstance(event, CueStarted):
            sounds[str(event.cue)].play()
        elif isinstance(event, CueCancelled):
            sounds[str(event.cue)].stop()


def main(host: str | None, port: int = PORT, record: str | None = None) -> None:
    try:
        import pygame
    except ImportError:
        sys.exit("the window needs pygame: pip install pygame-ce")
    pygame.init()
    session, wire = connect(host, port, record)
    over = "you left"
    # However the block is left, the other peer is told.
    with wire, suppress(KeyboardInterrupt):
        over = play(pygame, session, wire)
    print(over)


def play(pygame: Any, session: RollbackSession, wire: Poll) -> str:
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    clock = pygame.time.Clock()
    sounds = {"paddle": beep(pygame, 440), "goal": beep(pygame, 220)} if pygame.mixer.get_init() else {}

    def pressed() -> int:
        keys = pygame.key.get_pressed()
        return UP * keys[pygame.K_UP] | DOWN * keys[pygame.K_DOWN]

    over = ""
    while not over:
        if pygame.event.get(pygame.QUIT):
            over = "you left"
        else:
            over = take_part(session, wire, pressed)
        if session.running:
            draw(pygame, screen, session.state)
        if sounds:
            play_sounds(session, sounds)
        pygame.display.set_caption(over or f"pong: {session.phase.value}")
        clock.tick(120)
    return over


def beep(pygame: Any, pitch: int) -> Any:
    samples = (6000 if index * pitch // 22050 % 2 else -6000 for index in range(6000))
    return pygame.mixer.Sound(buffer=array("h", samples))


def draw(pygame: Any, screen: Any, state: PongState) -> None:
    screen.fill("black")
    for box in (
        (0, state.left_y, DEPTH, PADDLE),
        (WIDTH - DEPTH, state.right_y, DEPTH, PADDLE),
        (state.ball_x, state.ball_y, BALL, BALL),
    ):
        pygame.draw.rect(screen, "white", box)
    for score in range(state.left_score):
        pygame.draw.circle(screen, "grey", (WIDTH // 2 - 15 * (score + 1), 12), 4)
    for score in range(state.right_score):
        pygame.draw.circle(screen, "grey", (WIDTH // 2 + 15 * (score + 1), 12), 4)
    pygame.display.flip()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1], record="pong-joined.rtk")
    else:
        main(None, record="pong-hosted.rtk")
