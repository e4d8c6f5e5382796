"""Sealed connections of a capture are known by their handshakes, and opened with a key log."""

import pytest

from retick.errors import DecodeError
from retick.link import layout
from retick.packets import formats
from retick.packets.formats import Explainer, SealedLinks, keylog_in
from retick.snapshot.inspect import SnapshotExplainer
from retick.wire import rbn1
from tests.link.test_explain import ids_in, keys_in, real_datagrams, sealed_datagrams


def explainer(links: SealedLinks) -> Explainer:
    return Explainer(SnapshotExplainer(keep_all=False), links)


def test_the_handshake_says_which_connections_are_sealed() -> None:
    datagrams, log = sealed_datagrams()
    links = SealedLinks()
    for data in (*real_datagrams(), *datagrams):
        links.note(data)
    assert links.connections == ids_in(log)


def test_without_a_key_nothing_sealed_is_taken_for_a_plain_datagram() -> None:
    explain = explainer(SealedLinks()).explain
    for data in sealed_datagrams()[0]:
        found = explain(data)
        assert found.fault is None
        assert found.format.endswith(", sealed") == (data[0] < layout.REQUEST)


def test_with_a_key_log_all_is_opened() -> None:
    datagrams, log = sealed_datagrams()
    explain = explainer(SealedLinks(keylog_in(log.encode()))).explain
    found = [explain(data) for data in datagrams]
    assert [each.fault for each in found] == [None] * len(datagrams)
    assert "PAYLOAD, sealed" in {each.format.removeprefix("link ") for each in found if each.content == "RBN1"}
    assert not any(row.field == "sealed" for each in found for row in each.rows)


def test_what_can_be_read_of_a_datagram_depends_on_its_key() -> None:
    datagrams, log = sealed_datagrams()
    opening, closed = SealedLinks(keylog_in(log.encode())), SealedLinks()
    for data in datagrams:
        closed.note(data)
        if data[0] < layout.REQUEST:
            assert opening.readable(data) == data[:8] + opening.readable(data)[8:]
            assert len(opening.readable(data)) == len(data) - layout.TAG_SIZE
            assert closed.readable(data) == data[:8]
            assert opening.readable(data[:-1]) == data[:8]
        else:
            assert opening.readable(data) == closed.readable(data) == data
    for data in (*real_datagrams(), b"", b"HELLO", rbn1.MAGIC):
        assert opening.readable(data) == closed.readable(data) == data


def test_the_connections_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MOST_CONNECTIONS", 3)
    links = SealedLinks()
    for number in range(9):
        links.note(bytes([layout.ENTER, number]) + bytes(30))
    assert links.connections == {0, 1, 2}


def test_a_file_that_is_no_key_log_is_refused_without_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    _, log = sealed_datagrams()
    with pytest.raises(DecodeError, match="line 2") as caught:
        keylog_in(f"# mine\n{log.replace('RETICK1', 'RETICK9')}".encode())
    assert not any(key in str(caught.value) for key in keys_in(log))
    with pytest.raises(DecodeError, match="line 1"):
        keylog_in(b"\xff\xfe\0")
    monkeypatch.setattr(formats, "MOST_KEYLOG", 9)
    with pytest.raises(DecodeError, match="at most 9 bytes"):
        keylog_in(log.encode())
