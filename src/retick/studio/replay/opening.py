"""A file from the page becomes a recording or a desync bundle, or an error in words."""

from dataclasses import dataclass

from retick.audit.desync.bundle import Bundle, loads_bundle
from retick.errors import RetickError
from retick.replay import Replay, format_of, loads
from retick.replay.formats import MAGICS
from retick.studio.messages import FeedError, FileSent

__all__ = ["Opened", "open_file"]

ARCHIVE = b"PK"
"""How a ZIP archive begins: a desync bundle is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What was in a file."""

    name: str
    size: int
    """Bytes."""
    format: str
    """rplk, rtk or desync."""
    replay: Replay | None
    """What can be scrubbed; None for a bundle without any frames."""
    bundle: Bundle | None = None


def open_file(file: FileSent) -> Opened:
    """Reads within the limits of the library's readers."""
    try:
        if file.data[:4] in MAGICS:
            return Opened(name=file.name, size=len(file.data), format=format_of(file.data), replay=loads(file.data))
        if file.data[:2] == ARCHIVE:
            bundle = loads_bundle(file.data)
            return Opened(
                name=file.name, size=len(file.data), format="desync", replay=_frames_of(bundle), bundle=bundle
            )
    except RetickError as error:
        raise FeedError(f"{file.name}: {error}") from None
    what = "it is empty" if not file.data else f"it starts with {file.data[:4]!r}"
    raise FeedError(f"{file.name} is neither a replay (.rtk, .rplk) nor a desync bundle (.desync): {what}")


def _frames_of(bundle: Bundle) -> Replay | None:
    """The frames around the difference; else this peer's whole recording, or any."""
    if bundle.around is not None:
        return bundle.around
    own = bundle.recordings.get(bundle.peer_id)
    return own if own is not None else next(iter(bundle.recordings.values()), None)
