"""Play on a server: ``python join.py [ADDRESS [NAME]]``. The game and its window are those of a match between peers."""

import os
import sys

import pygame
import window
from game import Arena

from retick.authority.client import WorldClient
from retick.authority.client.events import RoomLeft
from retick.host.events import JoinFailed
from retick.integrations.pygame import Keys, note_key
from retick.sim.contract import CueStarted
from retick.transport import Poll, open_udp, parse_address

PORT = 7778


def connect(address, name="", port=PORT):
    socket = open_udp()
    server = socket.resolve(*parse_address(address, default_port=port))
    client = WorldClient(Arena(), server, entropy=os.urandom, name=name)
    return client, Poll(client, socket)


def take_part(client, wire, press):
    """One turn of the loop, to be run until ``client.is_over``. Returns why it is over, or an empty text."""
    why = ""
    for event in wire.poll():
        if isinstance(event, JoinFailed | RoomLeft):  # every end of a client is one of these
            why = event.text
    now = wire.clock()
    while client.due(now=now):
        client.advance(press(), now=now)
    wire.flush(now)
    return why


def show(screen, client):
    if client.running:
        window.draw(screen, client.world, client.local_players)
        pygame.display.set_caption("   ".join(f"{each.peer_id + 1} {each.name}" for each in client.roster))
    for event in client.cues():
        if isinstance(event, CueStarted):
            window.hear(event.cue)
    pygame.display.flip()


def main(address="127.0.0.1", name=""):
    client, wire = connect(address, name)
    pygame.init()
    screen, keys, clock = pygame.display.set_mode(window.size), Keys(), pygame.time.Clock()

    def press():
        wish = window.press(keys)
        keys.frame_read()
        return wish

    why = "you left"
    with wire:
        while not client.is_over and not pygame.event.peek(pygame.QUIT):
            for event in pygame.event.get(exclude=pygame.QUIT):
                note_key(keys, event)
            why = take_part(client, wire, press) or why
            show(screen, client)
            clock.tick(60)
    print(why)


if __name__ == "__main__":
    main(*sys.argv[1:3])
