"""Notes in words."""

from hypothesis import given
from hypothesis import strategies as st

from retick.packets.formats import explain_datagram
from retick.routes.notes import NoteSeal
from retick.routes.routes import explain_note, is_note


def test_a_note_is_named_with_its_members() -> None:
    sealed = NoteSeal(b"", b"code!", b"roomid", 1, 0, stay=b"one stay").seal(0xCE, b"\3\1")
    assert sealed is not None
    found = explain_datagram(b"\xceroomid\1\0" + sealed)
    assert found.summary == "NOTE 0 from member 1 to 0"
    assert found.fault is None
    assert [row.field for row in found.rows] == ["kind", "room", "sender", "receiver", "stay", "counter", "sealed"]


@given(st.binary(max_size=60))
def test_every_byte_is_in_one_row(rest: bytes) -> None:
    data = b"\xce" + rest
    assert is_note(data)
    found = explain_note(data)
    assert sum(row.size for row in found.rows) == len(data)
    assert (found.fault is None) == (len(data) >= 38)
