"""The picture of a match: whole at every size, and readable without colour."""

from io import BytesIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.style import Style

from retick.cli.draw import fighter
from retick.cli.draw.canvas import Canvas
from retick.cli.draw.fighter import Arena
from retick.errors import DecodeError
from retick.games.fighter import Action, Button, Fighter, FighterState, PlayerState
from retick.games.fighter.game import hits_in, knocked_out
from retick.games.fighter.rules import MAX_X, PLAYER_WIDTH

GAME = Fighter()
START = GAME.initial_state(1)


def drawn(arena: Arena, columns: int = 80, rows: int = 24, encoding: str = "utf-8") -> list[str]:
    """The lines of a picture, without any styling."""
    paper = TextIOWrapper(BytesIO(), encoding=encoding)
    console = Console(
        file=paper, width=columns, height=rows, color_system=None, force_terminal=True, legacy_windows=False
    )
    with console.capture() as capture:
        console.print(arena, height=rows)
    return capture.get().splitlines()


def adjacent(**changes: int) -> FighterState:
    """Both fighters within reach of each other, facing; ``changes`` are to player 1."""
    return START.replace(
        p1=START.p1.replace(x=9000, **changes),
        p2=START.p2.replace(x=10_000),
    )


def struck() -> FighterState:
    return GAME.step(adjacent(), (int(Button.ATTACK), 0))


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40), (40, 12), (200, 60), (20, 5)])
def test_the_picture_fits_its_screen(columns: int, rows: int) -> None:
    lines = drawn(Arena(state=struck(), previous=adjacent(), hits=(1, 0), footer="the end"), columns, rows)
    assert max(map(len, lines)) <= columns
    assert len(lines) <= max(rows, 10)


def test_on_a_narrow_screen_the_title_is_cut_before_the_frame() -> None:
    (header, *_) = drawn(Arena(state=START, title="host, plays 1:  7 frames are guesses"), 40, 14)
    assert header.rstrip().endswith(" frame     0")
    assert "host, plays 1:" in header
    assert "..." in header


@given(
    x=st.integers(0, MAX_X - PLAYER_WIDTH),
    y=st.integers(0, 1 << 31 - 1),
    facing=st.sampled_from((-1, 1)),
    action=st.sampled_from(list(Action)),
    active=st.integers(0, 5),
    stun=st.integers(0, 20),
    columns=st.integers(20, 150),
)
def test_both_fighters_are_drawn_wherever_they_are(
    x: int, y: int, facing: int, action: Action, active: int, stun: int, columns: int
) -> None:
    player = START.p2.replace(
        x=x, y=y, facing=facing, state=int(action), attack_active_frames=active, hitstun_frames=stun
    )
    lines = drawn(Arena(state=START.replace(p2=player), previous=START), columns)
    field = "\n".join(lines[3:])
    apart = abs(START.p1.x - x) > MAX_X // 4
    assert field.count("O") == 2 if apart else field.count("O") >= 1
    assert {len(line) for line in lines} == {columns}


def test_a_fighter_to_the_right_is_drawn_to_the_right() -> None:
    heads = next(line for line in drawn(Arena(state=START)) if "O" in line)
    assert heads.index("O") / 80 == pytest.approx(START.p1.x / MAX_X, abs=0.03)
    assert heads.rindex("O") / 80 == pytest.approx(START.p2.x / MAX_X, abs=0.03)


def test_a_jumping_fighter_is_drawn_higher_and_leaves_a_shadow() -> None:
    lines = drawn(Arena(state=START.replace(p1=START.p1.replace(y=2800, state=int(Action.JUMP)))))
    heads = [number for number, line in enumerate(lines) if "O" in line]
    assert heads[1] - heads[0] >= 5
    assert any("▂▂▂" in line for line in lines)


def test_an_open_attack_shows_its_box_on_the_side_faced() -> None:
    away = START.replace(p1=START.p1.replace(x=9000))
    after = GAME.step(away, (int(Button.ATTACK), 0))
    arm = next(line for line in drawn(Arena(state=after)) if "=>" in line)
    assert arm.index("=>") > arm.index("|")
    turned = GAME.step(away, (int(Button.ATTACK | Button.LEFT), 0))
    assert any("<=" in line for line in drawn(Arena(state=turned)))


def test_a_hit_is_shown_by_a_word_and_a_shorter_bar() -> None:
    before, after = drawn(Arena(state=adjacent())), drawn(Arena(state=struck(), hits=(1, 0)))
    assert not any("HIT" in line for line in before)
    assert any("HIT" in line for line in after)
    assert "75" in after[1]
    assert after[1].count("█") < before[1].count("█")
    assert "1 hit" in after[2]
    assert "0 hits" in after[2]


def test_a_knock_out_is_announced() -> None:
    ended = START.replace(p2=START.p2.replace(hp=0))
    assert "K . O ." in drawn(Arena(state=ended))[2]
    assert "K . O ." not in drawn(Arena(state=START))[2]


def test_frame_time_and_checksum_are_shown() -> None:
    state = START.replace(frame=90)
    assert f"frame    90     1.50 s   0x{GAME.checksum(state):08X}" in drawn(Arena(state=state))[0]


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    lines = drawn(Arena(state=struck(), previous=adjacent(), hits=(1, 0)), encoding="ascii")
    assert all(line.isascii() for line in lines)
    assert not all(line.isascii() for line in drawn(Arena(state=struck())))


def test_hits_are_read_from_the_frame_in_which_they_land() -> None:
    assert hits_in(struck()) == (True, False)
    assert hits_in(GAME.step(struck(), (0, 0))) == (False, False)
    both = GAME.step(adjacent(), (int(Button.ATTACK), int(Button.ATTACK)))
    assert hits_in(both) == (True, True)


def test_a_knock_out_is_either_fighter_without_hit_points() -> None:
    assert not knocked_out(START)
    assert knocked_out(START.replace(p1=START.p1.replace(hp=0)))


EXTREMES = st.sampled_from([-(2**31), -(2**31) + 1, -1, 0, 1, 100, 2**31 - 1]) | st.integers(-(2**31), 2**31 - 1)
WHOLE_NUMBERS = ("x", "y", "vx", "vy", "hitstun_frames", "hp", "attack_cooldown_frames", "attack_active_frames")


@st.composite
def any_fighter(draw: st.DrawFn, player: int) -> PlayerState:
    values = {name: draw(EXTREMES) for name in WHOLE_NUMBERS}
    values |= {"facing": draw(st.integers(-128, 127)), "state": draw(st.integers(0, 255))}
    return (START.p1, START.p2)[player].replace(**values)


@st.composite
def any_state(draw: st.DrawFn) -> FighterState:
    """Any state that the game can be given from outside: fields at their bounds, or just any bytes."""
    size = len(GAME.pack_state(START))
    if draw(st.booleans()):
        return START.replace(p1=draw(any_fighter(0)), p2=draw(any_fighter(1)), frame=draw(st.integers(0, 2**32 - 1)))
    try:
        state: FighterState = GAME.unpack_state(draw(st.binary(min_size=size, max_size=size)))
    except DecodeError:
        return START
    return state


@given(any_state(), any_state(), st.integers(1, 200), st.integers(1, 60))
def test_any_state_that_can_be_unpacked_is_a_picture_of_the_size_of_the_screen(
    state: FighterState, previous: FighterState, columns: int, rows: int
) -> None:
    state = GAME.unpack_state(GAME.pack_state(state))
    work = 0

    class Counted(Canvas):
        def put(self, column: int, row: int, text: str, style: Style, *, blank: bool = False) -> None:
            nonlocal work
            work += 1 + len(text)
            super().put(column, row, text, style, blank=blank)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fighter, "Canvas", Counted)
        lines = drawn(Arena(state=state, previous=previous, names=("a", "b"), hits=(1, 2)), columns, rows)
    assert max(map(len, lines)) <= max(columns, 20)
    assert len(lines) <= max(rows, 20)
    assert work < 100 * (max(columns, 20) + max(rows, 20))


def test_hit_points_far_below_zero_are_an_empty_bar() -> None:
    empty = drawn(Arena(state=adjacent(hp=-(2**31))))
    assert empty[1].count("█") == drawn(Arena(state=adjacent(hp=0)))[1].count("█")
    assert "-2147483648" in empty[1]


def test_names_and_titles_cannot_command_the_terminal() -> None:
    lines = drawn(Arena(state=START, title="\x1b[31mtitle", names=("[red]a", "b\x9b"), footer="\u202efoot\n"))
    assert all(line.isprintable() for line in lines)
    assert "\\x1b[31mtitle" in lines[0]
    assert "[red]a" in lines[1]
