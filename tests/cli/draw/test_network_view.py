"""The pictures of a match over the network: they fit, and every rollback shows."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from retick.cli.demo.view import BothPeers, line
from retick.cli.draw.fighter import Arena
from retick.cli.draw.network_view import NetworkReport, NetworkView
from retick.cli.play.terminal_games import TerminalFighter, TerminalScramble, terminal_game_for
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.games.scramble.bots import scramble

GAME = Fighter()
REPORT = NetworkReport(
    frame=120,
    confirmed=115,
    state=GAME.pack_state(GAME.initial_state(1)).hex(),
    depth=4,
    rollbacks=7,
    deepest=6,
    rtt=0.081,
    loss_in=0.05,
)


def drawn(picture: RenderableType, columns: int = 80, rows: int = 24, encoding: str = "utf-8") -> list[str]:
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=buffer, width=columns, height=rows, force_terminal=False, legacy_windows=False)
    console.print(picture)
    buffer.flush()
    buffer.seek(0)
    return buffer.read().splitlines()


def arena(title: str, footer: str) -> Arena:
    return Arena(state=REPORT.fighter_state(), title=title, footer=footer)


def view(**changes: Any) -> NetworkView:
    options: dict[str, Any] = {"report": REPORT, "title": "host", "picture": arena, "depths": [0, 3, 0, 8, 12]}
    return NetworkView(**options | changes)


def test_a_side_tells_what_it_guesses_and_what_the_way_is_like() -> None:
    text = "\n".join(drawn(view()))
    assert "host:  4 frames are guesses" in text
    assert "round trip 81 ms, lost 5% in 0% out, 7 rollbacks of up to 6, 0 stalls" in text


def test_the_strip_has_a_cell_for_each_frame_as_tall_as_its_rollback() -> None:
    strip = drawn(view())[-1]
    assert strip.endswith("·▃·██")
    assert "rolled back 12" in strip
    assert "as predicted" in drawn(view(depths=[9] + [0] * 12))[-1]


def test_a_terminal_without_unicode_gets_digits() -> None:
    assert drawn(view(), encoding="ascii")[-1].endswith(".3.8C")


def test_what_is_wrong_right_now_takes_the_place_of_the_rollback() -> None:
    late = NetworkReport.loads(REPORT.dumps().replace('"notice":""', '"notice":"nothing is heard"'))
    assert "nothing is heard" in drawn(view(report=late))[-1]


def peers(report: NetworkReport | None = REPORT) -> list[Any]:
    return [SimpleNamespace(title=title, report=report, depths=[0, 2]) for title in ("host", "joiner")]


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (80, 20), (200, 60)])
def test_both_sides_fit_the_terminal(columns: int, rows: int) -> None:
    lines = drawn(BothPeers(peers=peers(), names=("a", "b"), header="demo"), columns, rows)
    assert len([each for each in lines if each.strip()]) <= rows
    assert max(map(len, lines)) <= columns
    assert "host, plays 1" in "\n".join(lines)
    assert "joiner, plays 2" in "\n".join(lines)


def test_a_low_terminal_shows_one_side_rather_than_halves_of_both() -> None:
    text = "\n".join(drawn(BothPeers(peers=peers(), names=("a", "b"), header="demo"), 80, 15))
    assert "host, plays 1" in text
    assert "joiner" not in text


def test_a_side_that_is_not_connected_yet_says_so() -> None:
    text = "\n".join(drawn(BothPeers(peers=peers(None), names=("a", "b"), header="demo")))
    assert "joiner: not connected yet" in text


def test_a_line_has_both_sides() -> None:
    assert line(2, [REPORT, REPORT]).startswith("   2 s  frame   120   120  confirmed   115   115  rollbacks    7    7")
    assert "rtt   ? ms" in line(2, [NetworkReport(frame=1, confirmed=0, state="", depth=0)] * 2)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (60, 12)])
def test_scramble_shows_everyone_the_coin_and_the_scores(columns: int, rows: int) -> None:
    shown_game = TerminalScramble(4)
    states = scramble(3, 4)
    for _ in range(400):
        _, state = next(states)
    names = ["you", "player 2", "player 3", "player 4"]
    picture = shown_game.picture(state, None, names=names, confirmed=None, title="here", footer="there")
    lines = drawn(picture, columns, rows)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= columns
    assert all(f"{seat}" in text for seat in range(1, 5))
    assert "$" in text or any(abs(body.x - state.coin_x) < 1500 for body in state.bodies)
    assert f"player 2     {state.bodies[1].score:4}" in text


def test_the_number_of_players_chooses_the_game() -> None:
    assert isinstance(terminal_game_for(2), TerminalFighter)
    assert terminal_game_for(5).game.num_players == 5
    for players in (0, 1, 9):
        with pytest.raises(UsageError, match="--players must be 2"):
            terminal_game_for(players)


def test_a_scramble_is_over_a_moment_after_somebody_has_enough() -> None:
    shown_game = TerminalScramble(3)
    confirmed = shown_game.confirmed(5)
    states = scramble(5, 3, Scramble(3))
    while not confirmed.over:
        confirmed.add([next(states)[0]])
    assert confirmed.decided is not None
    assert max(body.score for body in confirmed.decided.bodies) >= 30
    assert "points" in shown_game.outcome(confirmed, ["a", "b", "c"])
