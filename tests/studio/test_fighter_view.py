"""What the page gets to draw the fighter, and the boxes that it draws."""

from collections.abc import Callable
from random import Random
from typing import Any

from retick.games.fighter import Fighter
from retick.games.fighter.rules import HITBOX_WIDTH, PLAYER_WIDTH
from retick.games.scramble import Scramble
from retick.studio.shown import RULES, fields_by_name, is_fighter


def test_the_page_gets_the_constants_of_the_rules() -> None:
    assert RULES["player_width"] == PLAYER_WIDTH
    assert RULES["hitbox_width"] == HITBOX_WIDTH
    assert all(type(value) is int for value in RULES.values())


def test_a_state_is_given_by_the_names_of_its_fields() -> None:
    game = Fighter()
    shown = fields_by_name(game, game.initial_state(7))
    assert (shown["frame"], shown["p1.hp"], shown["p2.x"], shown["rng"]) == (0, 100, 16_000, 7)


def test_only_the_fighter_is_drawn_as_a_fighter() -> None:
    assert is_fighter(Fighter())
    assert not is_fighter(Scramble())


def _brawl(frames: int) -> list[tuple[dict[str, Any], tuple[bool, bool]]]:
    """States in which somebody attacks, and whether player 1, and player 2, landed a hit in the frame before."""
    game, random = Fighter(), Random(5)
    state = game.initial_state(1)
    found = []
    for _ in range(frames):
        towards = (2, 1) if state.p1.x < state.p2.x else (1, 2)
        after = game.step(state, [random.choice((way, way, 4, 8, 8, 0)) for way in towards])
        landed = [
            now.attack_has_hit and not before.attack_has_hit
            for before, now in ((state.p1, after.p1), (state.p2, after.p2))
        ]
        state = after
        if state.p1.attack_active_frames or state.p2.attack_active_frames:
            found.append((fields_by_name(game, state), (bool(landed[0]), bool(landed[1]))))
    return found


def _meet(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[at] < other[at] + other[size] and other[at] < one[at] + one[size]
               for at, size in (("x", "width"), ("y", "height")))  # fmt: skip


def test_boxes_on_the_page_meet_exactly_when_the_rules_let_a_hit_land(open_page: Callable[..., Any]) -> None:
    page = open_page("#replay")
    page.wait_for_selector('#status[data-state="open"]')
    states = _brawl(1500)
    assert all(any(landed[seat] for _, landed in states) for seat in (0, 1))
    drawn = page.evaluate(
        """async ([states, rules]) => {
          const { boxesOf } = await import("/static/parts/fighter.js");
          return states.map((state) => boxesOf(state, rules));
        }""",
        [[state for state, _ in states], RULES],
    )
    for (state, landed), boxes in zip(states, drawn, strict=True):
        hurt = {box["seat"]: box for box in boxes if box["kind"] == "hurt"}
        for box in boxes:
            if box["kind"] == "hit":
                assert not _meet(box, hurt[1 - box["seat"]]), state
            elif box["kind"] == "spent" and landed[box["seat"]]:
                assert _meet(box, hurt[1 - box["seat"]]), state
