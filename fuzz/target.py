"""What a fuzz target is: a reader, genuine bytes to begin with, and what must hold for whatever it reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from retick.errors import DecodeError

__all__ = ["Bug", "Target", "name_of", "of", "outcome", "run_one", "script"]

Read = Callable[..., Any]


class Bug(Exception):
    """A reader broke a rule."""


def _one(value: Any) -> int:
    return 1


def _first(found: tuple[int, str]) -> int:
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that reads bytes from outside."""

    name: str
    """Family and name, such as "link/hello". The corpus is in the folder of this name."""
    read: Read
    """Takes the bytes: any exception but those of ``refuses`` is a bug."""
    seeds: tuple[bytes, ...]
    """Genuine bytes."""
    decoders: tuple[str, ...]
    """The functions of Retick that this target is for, as "module:name"."""
    law: Callable[[bytes, Any], object] | None = None
    """Called with bytes that were read and their value; raises if a rule does not hold, such as the round trip."""
    refuses: tuple[type[Exception], ...] = (DecodeError,)
    """What the reader may raise."""
    show: Callable[[Any], str] = repr
    """The value in words: equal in the compiled and the uncompiled form."""
    mend: Callable[[bytes], bytes] | None = None
    """Makes checksums right after a mutation, so that the checks behind them are reached."""
    packets: Callable[[Any], int] = _one
    """How many packets one value stands for; more than one where the bytes are a script."""
    is_script: bool = False
    """The bytes are a script for whole sessions: slow, and never refused."""

    share: float = 1.0
    """How many packets it gets where another target gets one: less for what is slow."""
    guides: tuple[str, ...] = ("",)
    """Folders of Retick whose lines guide the search. Fewer make it faster where much else runs too."""

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]


def name_of(function: Any) -> str:
    """ "module:name" of a function or method."""
    function = getattr(function, "__func__", function)
    return f"{function.__module__}:{function.__qualname__}"


def script(name: str, run: Read, seeds: tuple[bytes, ...], *receivers: Any, guides: tuple[str, ...]) -> Target:
    """A target whose bytes are a script for whole endpoints; ``run`` returns how many packets it was, and the rest."""
    decoders = tuple(name_of(receiver) for receiver in receivers)
    return Target(
        name=name, read=run, seeds=seeds, decoders=decoders, packets=_first, is_script=True, share=0.2, guides=guides
    )


def of(
    name: str, read: Read, *seeds: bytes, write: Callable[..., bytes] | None = None, is_exact: bool = True,
    args: tuple[Any, ...] = (), also: Iterable[Any] = (), **more: Any,
) -> Target:  # fmt: skip
    """A target for one decoder. ``args`` are further arguments of the decoder and of ``write``.

    What ``write`` makes of a value must be the bytes that were read; or, unless ``is_exact``, read as the same value.
    """

    def law(data: bytes, value: Any) -> None:
        assert write is not None
        again = write(value, *args)
        if again != data and (is_exact or read(again, *args) != value):
            raise Bug(f"what was read does not write the same: {again.hex()}")

    if write is not None:
        more["law"] = law
    return Target(
        name=name,
        read=(lambda data: read(data, *args)) if args else read,
        seeds=seeds,
        decoders=tuple(each for each in map(name_of, (read, *also)) if each.startswith("retick")),
        **more,
    )


def run_one(target: Target, data: bytes) -> int:
    """Read and check these bytes; returns the number of packets. Whatever it raises is a bug."""
    try:
        value = target.read(data)
    except target.refuses:
        return 1
    if target.law is not None:
        target.law(data, value)
    return target.packets(value)


def outcome(target: Target, data: bytes) -> str:
    """What the reader makes of these bytes: the value, or the error with its text."""
    try:
        return target.show(target.read(data))
    except target.refuses as error:
        return f"{type(error).__name__}: {error} {getattr(error, 'code', '')}"
