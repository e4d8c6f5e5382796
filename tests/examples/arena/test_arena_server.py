"""examples/arena/serve.py and join.py: the same game on a server, over the simulated network and over sockets."""

import asyncio
import signal
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from math import hypot
from random import Random
from typing import Any

import pytest

from retick.authority.client import WorldClient
from retick.authority.client.events import RoomLeft
from retick.transport import Conditions, SimulatedNetwork, open_udp

BODY = 24
"""Across a fighter."""
LINK = Conditions(latency=0.06, loss=0.05)


class Hall:
    """The server and its clients, which are played by bots that know only what their client knows."""

    def __init__(self, arena: Any, *, clients: int = 8, conditions: Conditions = LINK, fire: bool = True) -> None:
        self.arena, self.fire = arena, fire
        self.network = SimulatedNetwork(seed=1, conditions=conditions)
        referee = import_module("serve").Referee

        class Observer(referee):  # type: ignore[misc, valid-type]  # the example is untyped
            def ticked(observer, room: Any) -> None:
                super().ticked(room)
                for fighter in room.world.fighters:
                    self.real[fighter.player, room.tick] = place_of(fighter)

        self.server = import_module("serve").make_server(entropy=Random(1).randbytes, hooks=Observer())
        self.real: dict[tuple[int, int], Any] = {}
        """Seat and tick to where the server had the fighter."""
        self.predicted: dict[tuple[int, int], Any] = {}
        """And where its own client had it when it pressed the keys for that tick."""
        self.bytes: dict[str, int] = {}
        self.events: list[Any] = []
        self.heard: dict[str, list[Any]] = {}
        self._count("server", self.server)
        self.network.attach("server", self.server, on_events=self.events.extend)
        self.clients = {name: self.join(name) for name in map(str, range(clients))}

    @property
    def room(self) -> Any:
        return self.server.rooms[""]

    def _count(self, name: str, endpoint: Any) -> None:
        receive = endpoint.receive_datagram

        def counted(data: bytes, address: Any, *, now: float) -> None:
            for way in (f"to {name}", f"from {address}"):
                self.bytes[way] = self.bytes.get(way, 0) + len(data)
            receive(data, address, now=now)

        endpoint.receive_datagram = counted

    def join(self, name: str, **settings: Any) -> Any:
        client = WorldClient(self.arena.game.Arena(), "server", entropy=Random(name).randbytes, name=name, **settings)
        self._count(name, client)
        heard: list[Any] = []
        self.heard[name] = heard
        self.network.attach(name, client, on_events=heard.extend)

        def turn() -> None:
            while client.due(now=self.network.now):
                self.press(client)
            self.network.flush(name)

        self.network.every(1 / 60, turn, phase=len(self.heard) / 500)
        return client

    def press(self, client: Any) -> None:
        wish = 0
        for seat in client.local_players:
            wish = self.arena.bots.bot(seat, client.world)
            if not self.fire:
                wish = self.arena.game.Wish(aim=wish.aim, right=wish.right, down=wish.down, use=True)
        client.advance(wish, now=self.network.now)
        for seat in client.local_players:
            mine = client.sim.fighter_of(seat)
            if mine is not None:
                self.predicted[seat, client.frame - 1] = place_of(mine)

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def errors(self) -> list[float]:
        """How far off each prediction was, while the fighter lived and was not put elsewhere."""
        made = []
        for key, (x, y, alive, jumps) in self.predicted.items():
            if alive and key in self.real and self.real[key][2:] == (alive, jumps):
                made.append(hypot(x - self.real[key][0], y - self.real[key][1]))
        return made


def place_of(fighter: Any) -> tuple[Any, ...]:
    return fighter.x, fighter.y, fighter.alive, fighter.jumps


def test_eight_play_at_120_ms_with_loss_within_3_kb_a_second(arena: Any) -> None:
    hall = Hall(arena)
    hall.run(5)
    before, seconds = dict(hall.bytes), 10
    hall.run(seconds)
    assert len(hall.room.players) == 8
    assert sum(fighter.kills for fighter in hall.room.world.fighters) > 0
    for name, client in hall.clients.items():
        assert client.running
        assert client.stats.failures == 0
        assert client.stats.snaps == 0
        for way in (f"to {name}", f"from {name}"):
            assert (hall.bytes[way] - before[way]) / seconds < 3000
    assert max(hall.errors()) < 0.1 * BODY


def test_where_nobody_fires_a_client_is_never_wrong_about_itself(arena: Any) -> None:
    hall = Hall(arena, fire=False)
    hall.run(10)
    errors = hall.errors()
    assert len(errors) > 8 * 60 * 7
    assert max(errors) < 0.1 * BODY


def test_a_client_has_nobody_whom_its_player_has_not_just_seen(arena: Any) -> None:
    hall = Hall(arena, conditions=Conditions(latency=0.02))
    seen: dict[tuple[int, int], int] = {}
    hidden = 0
    for _ in range(600):
        hall.run(1 / 60)
        world, tick = hall.room.world, hall.room.tick
        for client in hall.clients.values():
            for seat in client.local_players:
                seen.update({(seat, each.player): tick for each in world.fighters if world.visible(seat, each)})
                known = {fighter.player for fighter in client.sim.fighters}
                assert all(tick - seen[seat, other] <= 9 for other in known)
                # Others are drawn two snapshots ago.
                assert all(tick - seen[seat, each.player] <= 16 for each in client.world.fighters)
                hidden += 8 - len(known)
    assert hidden > 5_000


def test_when_a_team_has_won_everybody_is_told_and_the_next_match_begins(arena: Any) -> None:
    hall = Hall(arena, clients=2)
    hall.run(2)
    hall.room.world.wins = [arena.game.WINS, 0]
    hall.run(1)
    for heard in hall.heard.values():
        assert [event.text for event in heard if isinstance(event, RoomLeft)] == ["team 1 has won"]
    assert not hall.server.rooms


def test_bots_fill_the_seats_and_make_room_for_people(arena: Any) -> None:
    serve = import_module("serve")
    hall = Hall(arena, clients=0)
    for _ in range(10):
        serve.seat_bots(hall.room)
    assert [player.bot is not None for player in hall.room.players.values()] == [True] * 6
    for number in range(8):
        hall.clients[str(number)] = hall.join(str(number))
        hall.run(1)
        serve.seat_bots(hall.room)
    people = [player for player in hall.room.players.values() if player.bot is None]
    assert len(people) == len(hall.room.players) == 8
    assert all(client.running for client in hall.clients.values())


def test_the_programs_play_over_sockets_and_end_in_good_order(arena: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    serve, join = import_module("serve"), import_module("join")

    async def play() -> None:
        server, happened = serve.make_server(), []
        with closing(open_udp("127.0.0.1")) as socket:
            serving = asyncio.create_task(serve.serve(server, socket, happened.append))
            sides = [join.connect(f"127.0.0.1:{socket.address[1]}", name) for name in ("Ann", "Bob")]
            while not all(client.running and client.stats.inputs > 60 for client, _ in sides):
                for client, wire in sides:
                    assert join.take_part(client, wire, lambda: arena.game.Wish(down=1, fire=True)) == ""
                await asyncio.sleep(0.002)
            assert {"Ann", "Bob", "bot"} == {each.name for each in sides[0][0].roster}
            assert all(client.stats.failures == 0 for client, _ in sides)
            server.drain(within=0.1)
            over = set()
            while len(over) < 2:
                over |= {client for client, wire in sides if join.take_part(client, wire, arena.game.Wish)}
                await asyncio.sleep(0.002)
            await serving
            for _, wire in sides:
                wire.close()

    asyncio.run(play())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to be handled")
def test_the_server_ends_in_good_order_when_it_is_told_to(arena: Any) -> None:
    program = [sys.executable, "-u", str(arena.folder / "serve.py"), "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert "the arena is open" in run.stdout.readline()
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        assert run.returncode == 0
