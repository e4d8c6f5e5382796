"""A batch travels to other processes as a copy of its bytes."""

import pickle

import pytest

from retick.verify.batch import Batch, BatchEntry


@pytest.mark.parametrize("protocol", [4, 5])
@pytest.mark.parametrize("data", [b"abc", bytearray(b"abc"), memoryview(b"xabcx")[1:4]])
def test_what_arrives_is_what_was_sent(data: bytes, protocol: int) -> None:
    sent = Batch(data, [BatchEntry("a", 0, 3)], lambda: None)
    found = pickle.loads(pickle.dumps(sent, protocol))
    assert bytes(found.data) == b"abc"
    assert found.entries == sent.entries
    assert found.done is None


def test_bytes_that_are_carried_beside_the_pickle_are_not_copied() -> None:
    beside: list[pickle.PickleBuffer] = []
    text = pickle.dumps(Batch(b"x" * 10_000, []), 5, buffer_callback=beside.append)
    assert len(text) < 500
    assert bytes(pickle.loads(text, buffers=beside).data) == b"x" * 10_000
