"""Pong against another peer in a pygame window: ``pong_online.py`` hosts, ``pong_online.py ADDRESS`` joins."""

import os
import sys
from collections.abc import Callable

from pong import BALL, DEPTH, DOWN, HEIGHT, PADDLE, UP, WIDTH, Pong, PongState

from retick.rollback import DesyncDetected, MatchEnded, RollbackSession
from retick.transport import Poll, open_udp, parse_address

PORT = 7777


def connect(host: str | None, port: int = PORT) -> tuple[RollbackSession, Poll]:
    socket = open_udp(port=port if host is None else 0)
    address = None if host is None else socket.resolve(*parse_address(host, default_port=port))
    session = RollbackSession(Pong(), entropy=os.urandom, host_address=address)
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


def main(host: str | None, port: int = PORT) -> None:
    try:
        import pygame
    except ImportError:
        sys.exit("the window needs pygame: pip install pygame-ce")
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    clock = pygame.time.Clock()
    session, wire = connect(host, port)

    def pressed() -> int:
        keys = pygame.key.get_pressed()
        return UP * keys[pygame.K_UP] | DOWN * keys[pygame.K_DOWN]

    over = ""
    with wire:
        while not over:
            if pygame.event.get(pygame.QUIT):
                over = "you left"
            else:
                over = take_part(session, wire, pressed)
            if session.running:
                draw(pygame, screen, session.state)
            pygame.display.set_caption(over or f"pong: {session.phase.value}")
            clock.tick(120)
    print(over or "you left")


def draw(pygame, screen, state: PongState) -> None:  # type: ignore[no-untyped-def]  # pygame may not be installed
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
    main(sys.argv[1] if len(sys.argv) > 1 else None)
