"""The cost of ``retick serve --workers``: CPU time per tick of a worker, alone and beside another one.

``python benchmarks/workers.py`` runs one server with 4 rooms of 8 runners, then two workers with 4 such rooms each, in
turn, and compares the CPU time (``time.process_time`` of the server processes) for each tick of a process's rooms.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from statistics import median

from benchmarks.commands.authority_senders import Sender
from retick.host.config import DELTA_SNAPSHOTS
from retick.host.joining import Way
from retick.link import LinkConfig, LinkEndpoint, Refused
from retick.netrunner import NetRunner
from retick.netrunner.delta import DeltaCodec
from retick.transport.poll import Poll
from retick.transport.udp import open_udp

SETTLING = 3.0


class Joining:
    """Senders that follow the front's redirections."""

    def __init__(self, port: int, rooms: list[str], players: int) -> None:
        self.profile = NetRunner()
        self.codec = DeltaCodec(self.profile.layout)
        config = LinkConfig(
            game_id=self.profile.game_id,
            game_version=self.profile.protocol_version,
            capabilities=DELTA_SNAPSHOTS,
            tick_rate=60,
            accepting=False,
            max_connections=2 * len(rooms) * players,
            sealed=False,
        )
        self.link = LinkEndpoint(config, entropy=os.urandom)
        self.socket = open_udp("127.0.0.1", 0)
        self.wire = Poll(self.link, self.socket, drain=1024)
        self.senders = [self.dial(Way(("127.0.0.1", port)), room) for room in rooms for _ in range(players)]

    def dial(self, way: Way, room: str) -> Sender:
        sender = Sender(self.profile, self.codec, self.link, way.address, room)
        sender.way, sender.room = way, room  # type: ignore[attr-defined]  # for a redirection
        return sender

    def run(self, seconds: float) -> None:
        end = due = time.monotonic()
        end += seconds
        turn = 0
        while (now := time.monotonic()) < end:
            for event in self.wire.poll(now):
                sender = event.connection.tag
                if isinstance(event, Refused) and sender.way.follow(event.reason, event.text):
                    self.senders[self.senders.index(sender)] = self.dial(sender.way, sender.room)
                else:
                    sender.receive(event, now)
            if now >= due:
                due = max(due + 1 / 60 / 8, now - 0.05)
                for sender in self.senders[turn % 8 :: 8]:
                    sender.send(now)
                turn += 1
                self.wire.flush(now)
            else:
                time.sleep(min(0.001, due - now))


def readings(url: str) -> dict[str, tuple[float, float]]:
    """CPU seconds of each worker, and the tick of one of its rooms."""
    cpu: dict[str, float] = {}
    ticks: dict[str, float] = {}
    with urllib.request.urlopen(url, timeout=10) as page:
        for line in page.read().decode().splitlines():
            name, _, value = line.rpartition(" ")
            worker = name.partition('worker="')[2].partition('"')[0]
            if name.startswith("retick_cpu_seconds_total"):
                cpu[worker] = float(value)
            elif name.startswith("retick_room_tick{"):
                ticks[worker] = float(value)
    return {worker: (cpu[worker], ticks[worker]) for worker in cpu}


def measure(workers: int, rooms: int, players: int, seconds: float) -> list[float]:
    """Milliseconds of CPU per tick of each worker, for a number of rooms."""
    count = rooms * workers
    command = [sys.executable, "-m", "retick", "serve", "runner", "--port", "0", "--host", "127.0.0.1"]
    command += ["--rooms", str(count)]
    command += ["--workers", str(workers), "--metrics", "0", "--log-json", "--pin"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        found: dict[str, str] = {}
        while "metrics" not in found:
            line = json.loads(server.stdout.readline())
            found[line["event"]] = line.get("url") or line.get("port")
        # Read the event lines, since the server would wait for us otherwise.
        subprocess.Popen(["cat"], stdin=server.stdout, stdout=subprocess.DEVNULL)
        crowd = Joining(int(found["listening"]), ["", *(f"room {n}" for n in range(2, count + 1))], players)
        crowd.run(SETTLING)
        assert all(sender.joined for sender in crowd.senders)
        before = readings(found["metrics"])
        crowd.run(seconds)
        after = readings(found["metrics"])
        return [1000 * (after[w][0] - before[w][0]) / (after[w][1] - before[w][1]) for w in sorted(before)]
    finally:
        server.send_signal(signal.SIGTERM)
        server.send_signal(signal.SIGTERM)
        if _late(server):
            server.kill()


def _late(server: "subprocess.Popen[str]") -> bool:
    try:
        server.wait(5)
    except subprocess.TimeoutExpired:
        return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=4)
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    alone: list[float] = []
    beside: list[float] = []
    for _ in range(options.rounds):
        alone += measure(1, options.rooms, options.players, options.seconds)
        beside += measure(2, options.rooms, options.players, options.seconds)
    print(f"{options.rooms} rooms of {options.players}, ms of CPU a tick")
    print("one process  ", *(f"{each:.3f}" for each in alone), f"median {median(alone):.3f}")
    print("two workers  ", *(f"{each:.3f}" for each in beside), f"median {median(beside):.3f}")
    print(f"ratio {median(beside) / median(alone):.3f}")


if __name__ == "__main__":
    main()
