"""Both ends write the same line of the key log, and it opens what they sent."""

from retick.link.layout import ADMIT, BYE, CONTROL, ENTER, PAYLOAD
from retick.link.sealing.keys import KeyLog
from retick.link.sealing.noise import Pattern
from tests.link.talk import Talk


def test_both_ends_log_the_same_keys_and_they_open_the_whole_conversation() -> None:
    lines: list[str] = []
    talk = Talk(Pattern.NN, keylog=lines.append, dial={"data": b"planted"}).connect()
    talk.mine.send_unreliable(b"input")
    talk.step()
    talk.mine.close(text="so long")
    talk.run(0.5)
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert lines[0].startswith(f"RETICK1 {talk.mine.local_id:08x} ")
    log = KeyLog.parse(lines[0])
    opened = [log.open(carried.data) for carried in talk.carried if log.has(carried.data)]
    assert None not in opened
    bodies = {data[0] if data[0] >= CONTROL else PAYLOAD: data for data in opened if data is not None}
    assert b"planted" in bodies[ENTER]
    assert bodies[PAYLOAD].endswith(b"input")
    assert bodies[BYE].endswith(b"so long")
    assert ADMIT in bodies


def test_nothing_is_logged_unless_asked_for() -> None:
    assert Talk(Pattern.NN).host.config.keylog is None
