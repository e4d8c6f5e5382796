"""A canvas cuts off what falls outside, and spaces are transparent unless they are asked for."""

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
