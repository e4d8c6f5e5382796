"""The key log: lines that are wrong, and datagrams far from the last."""

import pytest

from retick.errors import DecodeError
from retick.link.connection import Seal
from retick.link.packets import ENVELOPE
from retick.link.sealing import keys
from retick.link.sealing.keys import KeyLog
from retick.link.sealing.primitives import InvalidTag, aead

KEY, OTHER = "11" * 32, "22" * 32
LINE = f"RETICK1 0000000a 0000000b {KEY} {OTHER}"


def sealed(number: int, connection_id: int = 11, key: str = KEY) -> bytes:
    one = aead(bytes.fromhex(key))
    return Seal(one.encrypt, one.decrypt, InvalidTag).seal(
        number, ENVELOPE.pack(0x80, connection_id, number & 0xFFFF, 0), b"body"
    )


def test_datagrams_of_both_directions_open_wherever_the_capture_begins() -> None:
    log = KeyLog.parse(f"# mine\n\n{LINE}\n")
    for number in (1, 5, 2, 70_000, 69_999, 3_000_000, 1):
        assert log.has(sealed(number))
        assert log.open(sealed(number)) == sealed(number)[:8] + b"body"
    assert log.open(sealed(9, connection_id=10, key=OTHER)) is not None
    assert log.open(sealed(9, connection_id=10)) is None
    assert not log.has(sealed(9, connection_id=12))


@pytest.mark.parametrize(
    "line", ["RETICK2" + LINE[7:], LINE[:-1], LINE + " more", "RETICK1", LINE.replace("0a", "xx"), LINE[:-2]]
)
def test_a_line_that_is_none_is_named_without_its_keys(line: str) -> None:
    with pytest.raises(DecodeError, match="line 2 does not belong in a key log") as caught:
        KeyLog.parse(f"{LINE}\n{line}")
    assert "1111" not in str(caught.value)


def test_a_log_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "MOST_LINES", 2)
    with pytest.raises(DecodeError, match="at most 2 lines, not 3"):
        KeyLog.parse(f"{LINE}\n" * 3)


def test_a_datagram_past_the_turns_that_are_tried_stays_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "MOST_TURNS", 2)
    log = KeyLog.parse(LINE)
    assert log.open(sealed(65_536 * 3 + 5)) is None
    assert log.open(sealed(65_536 + 5)) is not None
