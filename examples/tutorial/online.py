"""The tank game online: ``online.py`` hosts a match, ``online.py ADDRESS`` joins it."""

import os
import sys
import time

import pygame
from tanks import HEIGHT, WIDTH, Tanks
from window import ARROWS, draw, pressed

from retick.rollback import DesyncReported, MatchEnded, RollbackSession
from retick.transport import Poll, open_udp, parse_address

PORT = 7777


def connect(game, address=None, *, port=PORT, config=None):
    socket = open_udp(port=port if address is None else 0)
    host = None if address is None else socket.resolve(*parse_address(address, default_port=port))
    session = RollbackSession(game, entropy=os.urandom, host_address=host, config=config)
    return session, Poll(session, socket)


def take_part(session, wire, buttons, happened=print):
    """Call this once in every turn of the loop. Returns why the match is over, or an empty text."""
    for event in wire.poll():
        happened(event)
        if isinstance(event, MatchEnded):
            return event.reason
        if isinstance(event, DesyncReported):
            return str(event.report)
    now = wire.clock()
    while session.due(now=now):
        session.advance(buttons, now=now)
    wire.flush(now)
    return ""


def leave(session, wire):
    """Say goodbye, so that the others need not wait for a timeout."""
    session.close()
    while wire.endpoint.next_timeout() is not None:
        wire.poll()
        time.sleep(0.005)
    wire.close()


def main(address=None, connect=connect, happened=print):
    game, shown = Tanks(), Tanks()
    session, wire = connect(game, address)
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption("waiting for the other player")
    clock = pygame.time.Clock()
    over = ""
    try:
        while not over and not pygame.event.get(pygame.QUIT):
            over = take_part(session, wire, pressed(ARROWS), happened)
            if session.running:
                game.load_into(shown, session.state)
                draw(screen, shown)
            clock.tick(120)
    except KeyboardInterrupt:
        pass  # Ctrl-C is a way to leave, too
    finally:
        leave(session, wire)
    print(over or "you left")


if __name__ == "__main__":
    main(*sys.argv[1:2])
