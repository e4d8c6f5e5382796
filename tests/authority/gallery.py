"""A world of vectors, rectangles and texts, and what a client should know of it, computed in the plainest way."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from retick.sim import (
    NOBODY,
    Distance,
    FRect,
    Most,
    OwnerOnly,
    Player,
    Range,
    Rect,
    ServerOnly,
    Thing,
    Vector2,
    World,
)
from tests.authority.oracle import steps

__all__ = ["Frame", "Gallery", "known_to", "told"]

NAMES = ("", "a", "z\u00f6e", "\U0001f3a8", "Vermeer", "Kandinsky", "Kokoschka\u2026")


class Mount(Thing):
    hook: Annotated[Vector2, Range(-8, 8, step=1 / 4)] = Vector2(1, -1)
    label: Annotated[str, Most(16)] = "mount"


class Frame(Thing):
    player: Player = NOBODY
    title: Annotated[str, Most(12)] = "untitled"
    pos: Annotated[Vector2, Range(0, 640, step=1 / 16)]
    vel: Vector2 = Vector2(0.5, -0.0)
    box: Rect = Rect(1, 2, 3, 4)
    near: Annotated[Rect, Range(-100, 100, step=2)] = Rect(0, 0, 10, 10)
    glass: FRect | None = None
    aim: Annotated[Vector2 | None, OwnerOnly] = Vector2(3, 4)
    note: Annotated[str | None, Most(9), OwnerOnly] = None
    price: Annotated[Vector2, ServerOnly] = Vector2(9, 9)
    mount: Mount
    spare: Mount | None = None
    trail: Annotated[list[Vector2], Most(3)] = [(7, 8)]
    holes: Annotated[list[Rect], Most(2), Range(-10, 10, step=1)]


class Gallery(World):
    num_players = 3
    interest: ClassVar[Any] = Distance(full=100, none=200, fields=("pos",))
    frames: Annotated[list[Frame], Most(6)]
    motto: Annotated[str, Most(20)] = "art"
    floor: FRect = FRect(0, 0, 640, 480)
    safe: Annotated[str, ServerOnly] = "1234"

    def advance(self, inputs: Sequence[int]) -> None:
        for player, pressed in enumerate(inputs):
            self.do(pressed & 7, pressed >> 3, player)
        for frame in self.frames:
            frame.pos += frame.vel

    def do(self, what: int, argument: int, player: int) -> None:
        frames = self.frames
        one = frames[argument % len(frames)] if frames else None
        if one is None or (what == 0 and len(frames) < 6):
            frames.append(Frame(player=(player, NOBODY)[argument & 1], pos=Vector2(argument, 30)))
        elif what == 1:
            frames.remove(one)
        elif what == 2:
            one.vel = Vector2(argument / 3 - 40, -argument / 7)
            one.trail = [*one.trail, one.pos][-3:]
        elif what == 3:
            one.title = NAMES[argument % len(NAMES)][:12]
            one.note = None if argument & 8 else NAMES[argument % 6]
            one.mount.label = one.title + "!"
            self.motto = (self.motto + NAMES[argument % 5])[-4:]
        elif what == 4:
            one.box.move_ip(argument - 100, -argument)
            one.near.update(argument, -argument, argument % 5, 3)
            one.holes = [*one.holes, Rect(argument % 9, -3, 40, 1)][-2:]
        elif what == 5:
            one.glass = None if one.glass else FRect(argument / 3, -0.0, 1e300, float("inf"))
            one.aim = None if one.aim else Vector2(argument, 0.1)
            one.price = Vector2(argument, argument)
        elif what == 6:
            one.mount.hook.x += argument / 9 - 10
            one.spare = None if one.spare else Mount(label=NAMES[argument % 6])
            self.floor.w = argument / 11
        else:
            one.player = (0, 1, 2, NOBODY)[argument % 4]
            self.safe = str(argument)


def rounded(shape: Any, low: float, high: float, step: float) -> Any:
    return tuple(steps(number, low, high, step) for number in shape)


def mount(one: Mount | None) -> Any:
    return None if one is None else (rounded(one.hook, -8, 8, 1 / 4), one.label)


def plain(shape: Any) -> Any:
    # The sign of a zero is a bit too.
    return None if shape is None else repr(shape)


def known_to(world: Gallery, seat: int | None) -> Any:
    """The gallery as one player may know it."""

    def frame_of(frame: Frame) -> Any:
        own = frame.player == seat
        return (
            frame.id, frame.player, frame.title, rounded(frame.pos, 0, 640, 1 / 16), plain(frame.vel), plain(frame.box),
            rounded(frame.near, -100, 100, 2), plain(frame.glass), plain(frame.aim if own else Vector2(3, 4)),
            frame.note if own else None, plain(Vector2(9, 9)), mount(frame.mount), mount(frame.spare),
            [plain(point) for point in frame.trail], [rounded(hole, -10, 10, 1) for hole in frame.holes],
        )  # fmt: skip

    # Where a player looks from: the first of theirs. A spectator gets all.
    mine = next((frame for frame in world.frames if frame.player == seat), None)
    seen = [
        frame for frame in world.frames if mine is None or frame.player == seat or (frame.pos - mine.pos).length() < 200
    ]
    ordered = sorted(seen, key=lambda frame: frame.id)
    return [frame_of(frame) for frame in ordered], world.motto, plain(world.floor), "1234"


def told(world: Gallery) -> Any:
    """A client's gallery in the same form."""
    frames = [
        (
            frame.id, frame.player, frame.title, tuple(frame.pos), plain(frame.vel), plain(frame.box),
            tuple(frame.near), plain(frame.glass), plain(frame.aim), frame.note, plain(frame.price),
            known_mount(frame.mount), known_mount(frame.spare), [plain(point) for point in frame.trail],
            [tuple(hole) for hole in frame.holes],
        )
        for frame in world.frames
    ]  # fmt: skip
    return frames, world.motto, plain(world.floor), world.safe


def known_mount(one: Mount | None) -> Any:
    return None if one is None else (tuple(one.hook), one.label)
