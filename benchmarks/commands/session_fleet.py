"""Many sessions in one process over loopback UDP, all driven by one loop.

Theory of operation. A heap holds the time of the next turn of each session. A turn receives what waits in that
session's socket, runs the frame if it is due, and sends. Nothing waits for sockets: as in a game, each session polls
its socket once a frame. The lateness of a frame is the time from when it was due to when it was run.
"""

import gc
import os
import time
from heapq import heapify, heapreplace
from multiprocessing.connection import Connection

from benchmarks.commands.cpu_pinning import PinnedToCore
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.transport.poll import receive_waiting, send_waiting
from retick.transport.udp import UdpSocket, open_udp

__all__ = ["Fleet", "run_joiners"]

IDLE_SECONDS = 0.01
LEAST_SLEEP = 0.001
"""Shortest sleep in seconds; everything that becomes due meanwhile is done together."""
FRAMES_OF_INPUTS = 1200
DRAIN = 64


class _Member:
    """One session, its socket, and its player's inputs."""

    __slots__ = ("at", "inputs", "phase", "session", "socket")

    def __init__(self, session: RollbackSession, socket: UdpSocket, inputs: bytes, phase: float) -> None:
        self.session = session
        self.socket = socket
        self.inputs = inputs
        self.phase = phase
        self.at = 0

    def next_turn(self, now: float) -> float:
        """Time of this session's next turn: its next frame, or before the match its own time within a frame."""
        planned = self.session.next_frame_at
        return now + self.phase if planned is None else planned


class Fleet:
    """Sessions of the fighter, one peer of each match, with the inputs of recorded bots."""

    def __init__(self, hosts: list[tuple[str, int]] | None, count: int) -> None:
        """Join the matches at ``hosts``, or host ``count`` of them."""
        self.members: list[_Member] = []
        self.late: list[float] = []
        """Lateness of every frame since the measurement began, in seconds."""
        self.measuring = False
        payload = bout(1, FRAMES_OF_INPUTS)
        for number in range(count):
            address = hosts[number] if hosts is not None else None
            session = RollbackSession(Fighter(), entropy=os.urandom, host_address=address)
            player = 0 if hosts is None else 2
            # Each match starts at another point of the recorded inputs.
            turned = payload[4 * (7 * number % FRAMES_OF_INPUTS) :] + payload[: 4 * (7 * number % FRAMES_OF_INPUTS)]
            phase = number / count / session.config.tick_rate
            self.members.append(_Member(session, open_udp("127.0.0.1", 0), turned[player::4], phase))

    @property
    def addresses(self) -> list[tuple[str, int]]:
        return [(member.socket.address[0], member.socket.address[1]) for member in self.members]

    @property
    def running(self) -> int:
        return sum(member.session.running for member in self.members)

    def run(self, seconds: float, *, until_all_run: bool = False) -> None:
        """Let all sessions play for a while, or until every match has begun."""
        now = time.monotonic()
        end = now + seconds
        heap = [(member.next_turn(now), number) for number, member in enumerate(self.members)]
        heapify(heap)
        turns = 0
        while now < end:
            due, number = heap[0]
            if due > now:
                time.sleep(max(due - now, LEAST_SLEEP))
                now = time.monotonic()
            heapreplace(heap, (self._turn(self.members[number], now), number))
            turns += 1
            if until_all_run and turns % (4 * len(self.members)) == 0 and self.running == len(self.members):
                return
            now = time.monotonic()

    def _turn(self, member: _Member, now: float) -> float:
        """Receive, run what is due, send; return the time of the next turn."""
        session = member.session
        receive_waiting(member.socket, session, now, DRAIN)
        due = session.next_timeout()
        if due is not None and due <= now:
            session.handle_timeout(now=now)
        if not session.running:
            send_waiting(member.socket, session, now)
            session.events()
            return now + IDLE_SECONDS
        planned = session.next_frame_at
        while session.due(now=now):
            session.advance(member.inputs[member.at], now=now)
            member.at = (member.at + 1) % FRAMES_OF_INPUTS
            if self.measuring and planned is not None:
                self.late.append(now - planned)
            planned = session.next_frame_at
        send_waiting(member.socket, session, now)
        session.events()
        if planned is None:
            return now + IDLE_SECONDS
        return planned if planned > now else now + 0.002

    def prepare_to_measure(self) -> None:
        """Once all matches run: switch the garbage collector off, and spread the sessions over the frame.

        The collector would walk over all sessions now and then, and frames would wait. ``close`` switches it on again.
        """
        gc.collect()
        gc.freeze()
        gc.disable()
        self._spread()

    def _spread(self) -> None:
        """Give each session its own time within the frame, since sessions that began together would all run at once."""
        now = time.monotonic()
        for member in self.members:
            if member.session.running:
                inside_of(member.session).match.pace.start_over(now + member.phase)

    def close(self) -> None:
        gc.enable()
        gc.unfreeze()
        now = time.monotonic()
        for member in self.members:
            member.session.close("the benchmark is over")
            send_waiting(member.socket, member.session, now)
            member.socket.close()


def run_joiners(pipe: Connection, hosts: list[tuple[str, int]], seconds: float) -> None:
    """Run the other peers in another process, until they are ended or the seconds have passed."""
    fleet = Fleet(hosts, len(hosts))
    pipe.send("ready")
    try:
        with PinnedToCore(1):
            fleet.run(seconds, until_all_run=True)
            fleet.prepare_to_measure()
            fleet.run(seconds)
    except KeyboardInterrupt:
        pass
    finally:
        fleet.close()
