"""A new kind of field is one class: a date, which the library does not know, is saved, sent, pressed and reported."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

import pytest

from retick.authority.layout import layout_of
from retick.errors import DecodeError, SchemaError, UsageError
from retick.sim import Command, Most, Player, Record, Ref, ServerOnly, Thing, World
from retick.sim.kinds import Kind
from retick.sim.world.hosting import Splicer
from tests.authority.worlds import Server


class DateKind(Kind):
    """A day of the calendar; its number counts the days since the first of year 1."""

    __slots__ = ()
    is_converted = True
    zero = date.min

    def checked(self, value: Any, where: str) -> date:
        if isinstance(value, date):
            return value
        raise self.refusal(value, where)

    def raw(self, value: date) -> int:
        return value.toordinal() - 1

    def value(self, raw: int) -> date:
        return date.fromordinal(raw + 1)


Day = Annotated[date, DateKind("date", "date", "I", greatest=date.max.toordinal() - 1)]
LEAP = date(2024, 2, 29)


class Wish(Command):
    when: Day = LEAP
    books: bool = False


class Season(Record):
    first: Day
    holidays: Annotated[tuple[Day, ...], Most(3)] = ()


class Visit(Thing):
    player: Player = 0
    begins: Day = LEAP
    ends: Day | None = None
    meals: Annotated[list[Day], Most(5)] = [date.max]
    born: Annotated[Day, ServerOnly] = LEAP


class Diary(World):
    num_players = 2
    command = Wish
    today: Day
    visits: Annotated[list[Visit], Most(4)]
    last: Ref[Visit]

    def start(self, seed: int) -> None:
        self.today = date(2020, 1, 1 + seed)
        self.visits = [Visit(begins=self.today), Visit(ends=self.today, meals=[date.min, date.max])]
        self.last = self.visits[0]

    def advance(self, inputs: Sequence[Wish]) -> None:
        self.today = date.fromordinal(self.today.toordinal() + 1)
        if inputs[0].books:
            self.last.ends = None if self.last.ends else inputs[0].when
        self.last.meals = [*self.last.meals, self.today][-5:]


def begun() -> Diary:
    world = Diary()
    world.reset(5)
    return world


def test_it_is_saved_and_loaded() -> None:
    world, other = begun(), Diary()
    other.load(world.save())
    assert other.fields() == world.fields()
    assert (repr(other), other.checksum()) == (repr(world), world.checksum())
    assert (other.today, other.last.begins, other.visits[1].ends) == (date(2020, 1, 6),) * 3
    assert list(other.visits[1].meals) == [date.min, date.max]
    assert Splicer(Diary).spliced(world.save(), other.save(), 0) == world.save()


def test_wrong_values_and_bytes_are_refused_in_its_words() -> None:
    world = begun()
    with pytest.raises(UsageError, match=r"Diary\.today: 3 is not a date"):
        world.today = 3
    with pytest.raises(UsageError, match=r"Visit\.meals\[\]: None is not a date"):
        world.last.meals.append(None)
    with pytest.raises(SchemaError, match=r"Bad\.day: 3 is not a date, so it cannot be the default"):
        type(Thing)("Bad", (Thing,), {"__annotations__": {"day": Day}, "day": 3, "__module__": __name__})
    saved = bytearray(world.save())
    saved[13:17] = b"\xff" * 4
    with pytest.raises(DecodeError, match=r"Diary\.today: 4294967295 is not from 0 to 3652058"):
        world.load(bytes(saved))


def test_a_record_has_it() -> None:
    season = Season(first=LEAP, holidays=(date.min, date.max))
    assert Season.from_bytes(season.to_bytes()) == season
    assert (season.first, season.holidays) == (LEAP, (date.min, date.max))
    assert dict(season.fields())["holidays[1]"] == date.max


def test_a_player_presses_it() -> None:
    wish = Wish(when=date(1999, 12, 31), books=True)
    assert Wish.unpack(int(wish)).when == date(1999, 12, 31)
    assert Wish.unpack(0).when == LEAP


@pytest.mark.parametrize("compact", [False, True])
def test_a_server_sends_it(compact: bool) -> None:
    server = Server(Diary(), seats=(0, 1), compact=compact)
    for tick in range(12):
        server.advance((Wish(books=tick % 3 == 0, when=date(1950 + tick, 1, 1)), 0))
        for client in server.clients:
            client.exchange()
            assert client.world.fields() == server.world.fields()
    assert "visits" in layout_of(Diary).text
