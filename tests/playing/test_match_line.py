"""The line that says how a match begins."""

import pytest

from retick.errors import UsageError
from retick.playing.match_line import MatchLine, read_line


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("", None),
        ("here", MatchLine()),
        ("host", MatchLine("host")),
        ("--host --online", MatchLine("host", online=True)),
        ("join retick:10.0.0.5:7777#abc", MatchLine("join", "retick:10.0.0.5:7777#abc")),
        ("retick:10.0.0.5:7777#abc", MatchLine("join", "retick:10.0.0.5:7777#abc")),
        ("10.0.0.5", MatchLine("join", "10.0.0.5")),
        ("code 4XK7-M2QP", MatchLine("join", "4XK7-M2QP", online=True)),
        ("watch 10.0.0.5", MatchLine("watch", "10.0.0.5")),
        (["replay", "my matches/a.rtk"], MatchLine("replay", "my matches/a.rtk")),
        (["--back"], MatchLine("back")),
    ],
)
def test_a_line_says_how_a_match_begins(line: str | list[str], way: MatchLine | None) -> None:
    assert read_line(line) == (way, {})


def test_what_else_it_says_are_settings() -> None:
    _, changes = read_line("host --open --name Ann --port 0 --bad-link --bot")
    link = changes.pop("bad_link")
    assert changes == {"everybody": True, "name": "Ann", "port": 0, "bot": True}
    assert (link.latency, link.loss) == (0.06, 0.05)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("host --hots", "--hots"),
        ("host join 10.0.0.5", "unrecognized arguments: join"),
        ("--host --join 10.0.0.5", "not allowed with"),
        ("host --link foo", "a link is round trip, jitter and loss"),
        ("join", "expected one argument"),
        ("--online", "--online is for --host"),
    ],
)
def test_a_text_that_is_wrong_is_an_error_and_words_end_the_program(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match=said):
        read_line(line)
    with pytest.raises(SystemExit):
        read_line(line.split())
    assert said in capsys.readouterr().err
