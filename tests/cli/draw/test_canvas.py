"""A canvas cuts off what falls outside, and spaces are transparent unless they are asked for."""

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from retick.cli.draw.canvas import Canvas

PLAIN = Style()


def lines(canvas: Canvas) -> list[str]:
    return "".join(segment.text for segment in canvas.segments()).splitlines()


def test_what_falls_outside_is_cut_off() -> None:
    canvas = Canvas(4, 2)
    canvas.put(-1, 0, "abcdef", PLAIN)
    canvas.put(0, 2, "below", PLAIN)
    canvas.put(0, -1, "above", PLAIN)
    assert lines(canvas) == ["bcde", "    "]


def test_spaces_do_not_overwrite_unless_asked_to() -> None:
    canvas = Canvas(3, 1)
    canvas.put(0, 0, "xyz", PLAIN)
    canvas.put(0, 0, "a c", PLAIN)
    assert lines(canvas) == ["ayc"]
    canvas.put(0, 0, "a c", PLAIN, blank=True)
    assert lines(canvas) == ["a c"]


def test_text_is_put_at_the_right_and_in_the_middle() -> None:
    canvas = Canvas(7, 2)
    canvas.put_right(0, "end", PLAIN)
    canvas.put_centred(1, "mid", PLAIN)
    assert lines(canvas) == ["    end", "  mid  "]


def test_each_run_of_one_style_is_one_segment() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "ab", Style(bold=True))
    canvas.put(2, 0, "cd", PLAIN)
    assert [segment.text for segment in canvas.segments()] == ["ab", "cd", "\n"]


def test_a_fill_may_reach_as_far_outside_as_it_likes() -> None:
    canvas = Canvas(4, 1)
    canvas.fill(-(10**12), 10**12, 0, "=", PLAIN)
    canvas.fill(2, 1, 0, "x", PLAIN)
    canvas.fill(10**12, 10**13, 0, "x", PLAIN)
    assert lines(canvas) == ["===="]


def test_no_character_commands_the_terminal() -> None:
    canvas = Canvas(8, 1)
    canvas.put(0, 0, "a\x1b\n", PLAIN)
    assert lines(canvas) == ["a\\x1b\\n "]


@given(
    title=st.text(alphabet="abc ", max_size=60),
    numbers=st.lists(st.text(alphabet="123", min_size=1, max_size=30), min_size=1, max_size=3),
    columns=st.integers(20, 90),
)
def test_a_title_never_overlaps_the_numbers_beside_it(title: str, numbers: list[str], columns: int) -> None:
    numbers = sorted(numbers, key=len, reverse=True)
    canvas = Canvas(columns, 1)
    canvas.put_header(title, numbers, PLAIN)
    (line,) = lines(canvas)
    shown = next(text for text in numbers if line.endswith(text[-columns:]))
    left = line[: max(columns - len(shown), 0)]
    if len(title) + len(numbers[-1]) + 2 <= columns:
        assert left.strip() == title.strip()
    else:
        assert left.strip() == "" or left.rstrip().endswith("...")
        assert not left or left[-1] == " "


def test_the_longest_numbers_that_leave_room_are_shown() -> None:
    shown = []
    for columns in (30, 20, 14):
        canvas = Canvas(columns, 1)
        canvas.put_header("a title", ("frame 12 0xABCD ", "frame 12 "), PLAIN)
        shown += lines(canvas)
    assert shown == [" a title      frame 12 0xABCD ", " a title   frame 12 ", "     frame 12 "]
