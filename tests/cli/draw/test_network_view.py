"""The pictures of a match over the network: they fit, and every rollback shows."""

from typing import Any

from retick.cli.draw.fighter import Arena
from retick.cli.draw.network_view import NetworkView
from retick.playing.network_report import NetworkReport
from tests.cli.draw.pictures import REPORT, drawn


def arena(title: str, footer: str) -> Arena:
    return Arena(state=REPORT.fighter_state(), title=title, footer=footer)


def view(**changes: Any) -> NetworkView:
    options: dict[str, Any] = {"report": REPORT, "title": "host", "picture": arena, "depths": [0, 3, 0, 8, 12]}
    return NetworkView(**options | changes)


def test_the_view_shows_how_many_frames_are_predicted_and_how_the_link_is() -> None:
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
