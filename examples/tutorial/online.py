"""The tank game online: ``online.py`` hosts a match, ``online.py ADDRESS`` joins it."""

import os
import sys
from contextlib import suppress

import pygame
from tanks import HEIGHT, WIDTH, Tanks
from window import ARROWS, draw, pressed

from retick.rollback import DesyncReported, MatchEnded, RollbackSession
from retick.transport import Poll, open_udp, parse_address

PORT = 7777


def connect(game, address=None, *, port=PORT, **settings):
    socket = open_udp(port=port if address is None else 0)
    host = None if address is None else socket.resolve(*parse_address(address, default_port=port))
    session = RollbackSession(game, entropy=os.urandom, host_address=host, **settings)
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


def main(address=None, connect=connect, happened=print, game=Tanks, every_turn=lambda session: None):
    session, wire = connect(game(), address)
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption("waiting for the other player")
    clock = pygame.time.Clock()
    over = ""
    with suppress(KeyboardInterrupt), wire:  # Ctrl-C is a way to leave, too
        while not over and not pygame.event.get(pygame.QUIT):
            over = take_part(session, wire, pressed(ARROWS), happened)
            if session.running:
                draw(screen, session.world)
                every_turn(session)
            clock.tick(120)
    print(over or "you left")


if __name__ == "__main__":
    main(*sys.argv[1:2])
