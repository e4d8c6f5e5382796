from retick.authority.server.rewind import HISTORY_TICKS, Rewind
from retick.authority.server.room import Room
from retick.games.runner import Button, Command, NetRunner, RunnerConfig
from retick.games.runner.netrunner.fire import FireResult


def filled(ticks: int) -> Rewind:
    rewind = Rewind()
    for tick in range(1, ticks + 1):
        rewind.store(tick, {2: (float(tick), 0.0, 0.0), 3: (-float(tick), 0.0, 0.0)})
    return rewind


NOW = {2: (500.0, 0.0, 0.0), 3: (-500.0, 0.0, 0.0)}


def test_others_are_where_the_shooter_saw_them() -> None:
    assert filled(100).targets(94, 100, NOW, shooter=2) == {3: (-94.0, 0.0, 0.0)}


def test_nobody_is_rewound_further_than_the_history() -> None:
    found = filled(300).targets(1, 300, NOW, shooter=2)
    assert found == {3: (-float(300 - HISTORY_TICKS + 1), 0.0, 0.0)}


def test_who_was_not_there_yet_is_taken_where_he_is_now() -> None:
    now = NOW | {4: (7.0, 0.0, 0.0)}
    assert filled(100).targets(94, 100, now, shooter=2)[4] == (7.0, 0.0, 0.0)


def test_an_empty_history_gives_the_present() -> None:
    assert Rewind().targets(-3, 2, NOW, shooter=2) == {3: (-500.0, 0.0, 0.0)}


class Ear:
    """A connection that only listens."""

    rtt = 0.0

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def send_reliable(self, data: bytes) -> bool:
        self.heard.append(data)
        return True

    def send_unreliable(self, data: bytes) -> bool:
        return True


def test_a_shot_says_the_tick_at_which_it_was_judged_and_not_one_that_is_forgotten() -> None:
    net = NetRunner(RunnerConfig(interpolation_delay_ms=5000))
    room = Room(net)
    player = room.add(b"", 0.0)
    player.connection = ear = Ear()
    for _ in range(400):
        room.advance(0.0)
    player.offer(Command(1, room.tick + 1, 1, buttons=Button.FIRE_PRESSED.value), room.tick)
    room.advance(0.0)
    [result] = [found for found in map(net.decode, ear.heard) if isinstance(found, FireResult)]
    assert result.tick == room.tick - HISTORY_TICKS + 1
