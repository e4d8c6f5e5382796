import asyncio
from collections.abc import Iterator

import pytest

from retick.studio import room
from tests.studio.conftest import awaited


def counted(number: int, done: list[int]) -> Iterator[None]:
    for step in range(number):
        done.append(step)
        yield


def test_work_is_driven_to_its_end() -> None:
    done: list[int] = []
    assert awaited(room.drive(counted(100, done), lambda: False))
    assert len(done) == 100


def test_after_each_slice_others_get_their_turn_and_work_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SLICE", 0.0)
    done: list[int] = []
    turns: list[int] = []

    async def both() -> bool:
        async def other() -> None:
            while True:
                turns.append(len(done))
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        ended = await room.drive(counted(100, done), lambda: len(done) >= 10)
        task.cancel()
        return ended

    assert not awaited(both())
    assert len(done) == 10
    assert turns == list(range(1, 11))
