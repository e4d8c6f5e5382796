"""Who presses the buttons of the seats here."""

from itertools import pairwise
from typing import Any

import pygame

from retick.playing import Match
from tests.integrations.pygame import runners
from tests.integrations.pygame.desk import Desk


def pressed_by(seats: tuple[int, ...], *codes: int, game: type = runners.Runners, **settings: Any) -> tuple[int, ...]:
    """The inputs of these seats while keys are held."""
    match = Match(game, "here", press=runners.press, folder=None, **settings)
    for code in codes:
        match.key_down("", code)
    try:
        return match._pressed(seats, None)
    finally:
        match.leave()


def test_who_has_one_seat_may_use_the_keys_of_everybody() -> None:
    for code in (pygame.K_RIGHT, pygame.K_d):
        assert pressed_by((1,), code) == (runners.RUN,)
    assert pressed_by((0,), pygame.K_d, pygame.K_DOWN) == (runners.RUN | runners.FALL,)


def test_at_one_keyboard_everybody_has_keys_of_their_own() -> None:
    assert pressed_by((0, 1), pygame.K_d) == (0, runners.RUN)
    assert pressed_by((0, 1, 2), pygame.K_d) == (0, runners.RUN, 0)


class Planned(runners.Runners):
    def bot(self, player: int, state: bytes) -> int:
        return player + 1


def test_the_bot_of_the_game_plays() -> None:
    assert pressed_by((1,), game=Planned, bot=True) == (2,)
    assert pressed_by((0, 1), game=Planned, bot=True) == (1, 2)


def test_without_one_buttons_are_pressed_by_chance_and_held_for_a_while() -> None:
    match = Match(runners.Runners, "here", bot=True, folder=None)
    seen = [match._pressed((0,), None)[0] for _ in range(600)]
    match.leave()
    changes = sum(one != other for one, other in pairwise(seen))
    assert 10 < changes < 200
    assert all(isinstance(pressed, int) and 0 <= pressed < 1 << 16 for pressed in seen)


def test_two_bots_play_a_match_over_a_bad_link_and_say_what_happens(desk: Desk) -> None:
    from retick.transport import BAD_LINK, Conditions

    said: list[str] = []
    host = desk.open(bot=True, say=said.append)
    guest = desk.open(bot=True, bad_link=Conditions.from_text(BAD_LINK))
    host.program.begin(host=True)
    guest.program.begin(join=f"127.0.0.1:{desk.port}")
    desk.until(lambda: guest.match.session.running and guest.match.session.frame > 60)
    desk.until(lambda: sum(runner.steps for runner in host.world().runners) > 0)
    (peer,) = guest.match.session.stats(now=desk.now).peers.values()
    assert peer.rtt is not None
    assert peer.rtt > 0.1
    guest.program.show(None)
    desk.run(1.0)
    host.program.show(None)
    assert said[0].startswith("Others join this address: ")
    # Bots press by chance, and one of them may have won.
    told = [line for line in said if not line.startswith(("the result: ", "Compare aloud"))]
    assert told[2:4] == ["the match has started: you are player 1, against Bob", "the match is over: Bob left"]
    assert told[4].startswith("recorded in ")
