"""A client of raiders on a server: ``python examples/raiders_client.py [HOST PORT SECONDS]``.

It has no window: it presses like a bot, and prints what it hears. A game with a window has the same loop.
"""

import os
import sys
import time

from raiders import Raiders, Wish

from retick.authority import WorldClient
from retick.transport import Poll, open_udp


def press(tick):
    return Wish(right=1.0 if tick // 60 % 2 else -1.0, fire=tick % 50 == 0)


def play(session, wire, draw, *, seconds, clock=time.monotonic, sleep=time.sleep):
    end = clock() + seconds
    while clock() < end and not session.is_over:
        for event in wire.poll():
            print(event, flush=True)
        while session.due(now=clock()):
            session.advance(press(session.frame), now=clock())
        wire.flush()
        for cue in session.cues():
            print(cue, flush=True)
        if session.running:
            draw(session.world)
        sleep(0.004)


def main(host="127.0.0.1", port="7777", seconds="10"):
    socket = open_udp("0.0.0.0", 0)
    session = WorldClient(Raiders(), socket.resolve(host, int(port)), entropy=os.urandom, name="Ann")
    with Poll(session, socket) as wire:
        play(session, wire, lambda world: None, seconds=float(seconds))
    print(f"{len(session.roster)} players, {session.stats.corrections} corrections")


if __name__ == "__main__":
    main(*sys.argv[1:])
