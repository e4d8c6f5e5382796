"""The tank game online in a loop of its own: ``online.py`` hosts a match, ``online.py INVITE`` joins it."""

import os
import sys
from contextlib import suppress

import pygame
from tanks import HEIGHT, WIDTH, Tanks, press

from retick.link import Invite
from retick.rollback import DesyncReported, MatchEnded, RollbackSession
from retick.transport import Poll, open_udp, parse_address
from retick.transport.discovery import own_address

PORT = 7777


def connect(game, line=None, *, port=PORT, **settings):
    """Host and print an invite; or join with the invite that a host printed."""
    socket = open_udp(port=port if line is None else 0)
    if line is None:
        host, invite = None, Invite.new(f"{own_address() or '127.0.0.1'}:{socket.address[1]}", entropy=os.urandom)
        print("the other player joins with:", invite.text())
    else:
        invite = Invite.parse(line)
        host = socket.resolve(*parse_address(invite.address, default_port=port))
    session = RollbackSession(game, entropy=os.urandom, host_address=host, sealed=True, invite=invite, **settings)
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


def main(line=None, connect=connect, happened=print, every_turn=lambda session: None):
    session, wire = connect(Tanks(), line)
    pygame.init()
    screen = pygame.display.set_mode((WIDTH, HEIGHT))
    pygame.display.set_caption("waiting for the other player")
    clock = pygame.time.Clock()
    over = ""
    with suppress(KeyboardInterrupt), wire:  # Ctrl-C is a way to leave, too
        while not over and not pygame.event.get(pygame.QUIT):
            over = take_part(session, wire, press[0](pygame.key.get_pressed()), happened)
            if session.running:
                session.world.draw(screen)
                pygame.display.flip()
                every_turn(session)
            clock.tick(120)
    print(over or "you left")


if __name__ == "__main__":
    main(*sys.argv[1:2])
