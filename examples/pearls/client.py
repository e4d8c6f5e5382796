"""Play pearls on a server: ``python client.py [ADDRESS [NAME]]``. Arrow keys swim, T greets, Escape leaves."""

import os
import sys

import pygame
from pearls import DOWN, HEIGHT, LEFT, RIGHT, SURFACE, UP, WIDTH, Pearls

from retick.authority import JoinFailed, WorldClient
from retick.authority.client import RoomLeft, ServerMessageReceived
from retick.sim.contract import CueStarted
from retick.transport import Poll, open_udp, parse_address

KEYS = {pygame.K_LEFT: LEFT, pygame.K_RIGHT: RIGHT, pygame.K_UP: UP, pygame.K_DOWN: DOWN}


def connect(address, name="", port=7779, **settings):
    socket = open_udp()
    server = socket.resolve(*parse_address(address, default_port=port))
    client = WorldClient(Pearls(), server, entropy=os.urandom, name=name, **settings)
    return client, Poll(client, socket)


def press():
    held = pygame.key.get_pressed()
    return sum(button for key, button in KEYS.items() if held[key])


def take_part(client, wire, press):
    """One turn of the loop; returns lines to show."""
    lines = []
    for event in wire.poll():
        if isinstance(event, ServerMessageReceived):
            lines.append(event.data.decode(errors="replace"))
        elif isinstance(event, JoinFailed | RoomLeft):
            lines.append(event.text)
    now = wire.clock()
    while client.due(now=now):
        client.advance(press(), now=now)
    wire.flush(now)
    for event in client.cues():
        if isinstance(event, CueStarted) and event.cue[0] == "landed":
            lines.append(f"diver {event.cue[1] + 1} is at the surface")
    return lines


def draw(screen, world, me, font, line):
    screen.fill("navy")
    screen.fill("skyblue", (0, 0, WIDTH, SURFACE))
    for pearl in world.pearls:
        pygame.draw.circle(screen, "white", (pearl.x, pearl.y), 5)
    for diver in world.divers:
        pygame.draw.circle(screen, "gold" if diver.player in me else "tomato", (diver.x, diver.y), 12)
        carried = f" +{diver.cargo}" if diver.player in me else ""
        screen.blit(font.render(f"{diver.score}{carried}", True, "white"), (diver.x + 14, diver.y - 8))
    screen.blit(font.render(line, True, "white"), (8, HEIGHT - 24))


def main(address="127.0.0.1", name=""):
    client, wire = connect(address, name)
    pygame.init()
    screen, font, clock = pygame.display.set_mode((WIDTH, HEIGHT)), pygame.font.Font(None, 24), pygame.time.Clock()
    line, wants = "connecting", True
    with wire:
        while wants and not client.is_over:
            for event in pygame.event.get():
                if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                    wants = False
                elif event.type == pygame.KEYDOWN and event.key == pygame.K_t:
                    client.send_message(b"hello")
            line = [line, *take_part(client, wire, press)][-1]
            if client.running:
                draw(screen, client.world, client.local_players, font, line)
            pygame.display.flip()
            clock.tick(60)
    print(line)


if __name__ == "__main__":
    main(*sys.argv[1:3])
