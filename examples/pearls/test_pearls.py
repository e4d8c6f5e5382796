"""Tests of pearls, as they would stand in your own project: ``python -m pytest test_pearls.py``."""

from hooks import Hosts, bot
from pearls import SIGHT, Pearls, is_near

from retick.authority.client import ServerMessageReceived


def test_the_game_does_the_same_twice(assert_deterministic):
    assert_deterministic(Pearls)


def test_three_play_on_a_bad_link(world_mesh):
    match = world_mesh(Pearls, press=bot, hooks=Hosts())  # 120 ms round trip and 5 % loss
    watcher = match.join("eye", watch=True)
    match.run(30)
    match.verify()  # no error anywhere, and the recording runs again to the same states
    for client in match.clients.values():
        assert client.stats.largest_correction < 1 / 8  # nobody was moved by the server
    assert len(watcher.world.divers) == 3
    assert sum(diver.score for diver in match.room.world.divers) > 0


def test_nobody_gets_what_its_diver_does_not_see(world_mesh):
    match = world_mesh(Pearls, press=bot)
    for _ in range(100):
        match.run(0.1)
        for client in match.clients.values():
            me = [diver for diver in client.world.divers if diver.player in client.local_players]
            for pearl in client.world.pearls:
                assert is_near(me[0], pearl, SIGHT + 60)  # it swims on until the server says that it is out of sight
            # What others carry is not sent. A client only guesses which pearls they take just now: one, seldom two.
            assert all(diver.cargo <= 2 for diver in client.world.divers if diver not in me)


def test_what_one_says_all_read(world_mesh):
    match = world_mesh(Pearls, hooks=Hosts())
    match.run(1)
    match.clients["ann"].send_message(b"hello")
    match.run(1)
    for name in match.clients:
        assert [event.data for event in match.events_of(name, ServerMessageReceived)] == [b"ann: hello"]
