"""A client against a server: welcome, stalls, and what a snapshot restores."""

from itertools import pairwise
from typing import Any

from retick.authority import JoinFailed
from retick.games.runner import CourseBot, Mode
from retick.link import Reason
from retick.netrunner import Client, NetRunner, Server
from retick.netrunner.events import Reconciled
from retick.transport import Conditions, MemoryHub
from tests.netrunner.courses import Field, seeded


class MislabelledRunner(NetRunner):
    """Says 6 to the link and 5 in its hello."""

    def encode_control(self, message: Any) -> bytes:  # type: ignore[override]  # any message
        data = NetRunner.encode_control(message)
        return data[:2] + (5).to_bytes(4, "little") + data[6:] if data[1] in (1, 2) else data


def test_a_welcome_of_another_version_ends_the_session() -> None:
    field = Field(profile=MislabelledRunner())
    field.join("new", profile=NetRunner())
    field.run(1.0)
    [failed] = field.of("new", JoinFailed)
    assert failed.reason == Reason.GAME_VERSION
    assert field.clients["new"].player is None


def test_a_client_whose_machine_stops_for_a_second_comes_back_with_a_new_epoch() -> None:
    field = Field()
    client = field.join("a")
    field.run(2.0)
    field.network.pause("a", 1.0)
    field.run(4.0)
    assert client.stats.epochs == 1
    assert field.server.rooms[""].players[2].epoch == 2
    late = [event.correction for event in field.of("a", Reconciled)][-20:]
    assert max(late) == 0.0


def test_right_after_the_restore_a_client_has_what_the_server_sent() -> None:
    """Stage 4: the restored state is the server's own, bit for bit, whenever nothing was lost."""
    field = Field(conditions=Conditions(latency=0.03))
    room = field.server.rooms[""]
    field.join("a")
    states: dict[int, Any] = {}

    def note() -> None:
        if 2 in room.players:
            states[room.tick] = room.players[2].state

    field.network.every(1 / 60, note, phase=1e-5)
    field.run(12.0)
    reconciled = field.of("a", Reconciled)
    assert len(reconciled) > 150
    assert all(event.restored == states[event.tick] for event in reconciled)
    assert {event.restored.mode for event in reconciled} >= {Mode.GROUNDED, Mode.AIR, Mode.WALL_RUN}


def test_a_listening_host_is_a_server_and_a_client_in_one_process() -> None:
    """No shortcut past prediction and reconcile: the two meet on a hub, and never correct each other."""
    hub, profile, bot = MemoryHub(), NetRunner(), CourseBot(7)
    server = Server(profile, entropy=seeded(1))
    client = Client(profile, "server", entropy=seeded(2))
    hub.attach("server", server)
    hub.attach("host", client)
    corrections = []
    for frame in range(600):
        now = frame / 60
        hub.exchange(now=now)
        corrections += [event.correction for event in client.events() if isinstance(event, Reconciled)]
        if client.player is not None:
            client.tick(bot.decide(client.player), now=now)
    assert len(corrections) > 180
    assert max(corrections[10:]) == 0.0


def test_the_drawn_tick_is_the_one_at_which_others_are_shown() -> None:
    """A runner that moves evenly is drawn where it was at that tick."""
    field = Field(conditions=Conditions(latency=0.05))
    client = field.join("a")
    field.join("b")
    assert client.drawn_tick is None
    field.run(3.0)
    ticks = []
    for _ in range(60):
        field.run(1 / 60)
        client.others(now=field.network.now)
        ticks.append(client.drawn_tick)
    assert None not in ticks
    assert all(0.8 < b - a < 1.2 for a, b in pairwise(ticks)), "it runs evenly"  # type: ignore[operator]  # none is None
    behind = field.server.rooms[""].tick - ticks[-1]  # type: ignore[operator]  # not None
    assert 3 < behind < 15
