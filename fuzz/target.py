"""Fuzz targets: a reader, genuine bytes to begin with, and what must hold for everything that is read."""

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
    """A reader of bytes from outside."""

    name: str
    """Family and name, such as "link/hello". The corpus is in the folder of this name."""
    read: Read
    """Reads the bytes; any exception but those in ``refuses`` is a bug."""
    seeds: tuple[bytes, ...]
    """Genuine inputs."""
    decoders: tuple[str, ...]
    """The functions of Retick that this target covers, as "module:name"."""
    law: Callable[[bytes, Any], object] | None = None
    """Called with bytes and the value that was read; raises if a rule, such as the round trip, does not hold."""
    refuses: tuple[type[Exception], ...] = (DecodeError,)
    """Exceptions that the reader may raise."""
    show: Callable[[Any], str] = repr
    """Describes the value; the text must be equal in the compiled and the uncompiled form."""
    mend: Callable[[bytes], bytes] | None = None
    """Corrects checksums after a mutation, so that later checks are reached."""
    packets: Callable[[Any], int] = _one
    """Number of packets in one value; more than one if the bytes are a script."""
    is_script: bool = False
    """Whether the bytes are a script for whole sessions, which is slow and never refused."""

    share: float = 1.0
    """Number of packets for each one of another target; less than 1 for slow targets."""
    guides: tuple[str, ...] = ("",)
    """Folders of Retick whose lines guide the search; fewer make it faster."""

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]


def name_of(function: Any) -> str:
    """ "module:name" of a function or method."""
    function = getattr(function, "__func__", function)
    return f"{function.__module__}:{function.__qualname__}"


def script(name: str, run: Read, seeds: tuple[bytes, ...], *receivers: Any, guides: tuple[str, ...]) -> Target:
    """Make a target whose bytes are a script for endpoints; ``run`` returns the number of packets, and the rest."""
    decoders = tuple(name_of(receiver) for receiver in receivers)
    return Target(
        name=name, read=run, seeds=seeds, decoders=decoders, packets=_first, is_script=True, share=0.2, guides=guides
    )


def of(
    name: str, read: Read, *seeds: bytes, write: Callable[..., bytes] | None = None, is_exact: bool = True,
    args: tuple[Any, ...] = (), also: Iterable[Any] = (), **more: Any,
) -> Target:  # fmt: skip
    """Make a target for one decoder. ``args`` are further arguments of the decoder and of ``write``.

    ``write`` must make the same bytes from the value, or without ``is_exact`` bytes that read as the same value.
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
    """Read and check bytes; return the number of packets. Everything that is raised is a bug."""
    try:
        value = target.read(data)
    except target.refuses:
        return 1
    if target.law is not None:
        target.law(data, value)
    return target.packets(value)


def outcome(target: Target, data: bytes) -> str:
    """The result of reading these bytes: the value, or the error with its text."""
    try:
        return target.show(target.read(data))
    except target.refuses as error:
        return f"{type(error).__name__}: {error} {getattr(error, 'code', '')}"
