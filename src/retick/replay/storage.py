"""Saves and loads replays as files. No other module of this package opens a file.

A file gets its final name only when it is complete and on the disk, so a crash never leaves half a replay under that
name. A crash can leave a file whose name ends in ``.part``. For a recording in progress that file is good up to its
last whole block, and ``load`` reads it. The same holds after the disk became full: a failed write is the last one.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from retick._regular_files import regular
from retick.errors import EncodeError, LimitExceeded, UsageError
from retick.replay.formats import Format, dumps, loads
from retick.replay.limits import ReadLimits
from retick.replay.recorder import Recorder
from retick.replay.replay import Replay

PIECE = 1024 * 1024
LEAST_FRAMES = 30
"""How many frames make a block worth its header: ``write`` leaves fewer to the next one."""
Name = str | os.PathLike[str]


def save(path: Name, replay: Replay, *, format: Format | None = None) -> None:  # noqa: A002 - as in dumps
    """Write a replay; the format is RPLK if that holds all of it, else RTK, unless ``format`` or the name decides.

    A name that ends in ``.rtk`` gets RTK, one that ends in ``.rplk`` gets RPLK or an EncodeError.
    """
    final = Path(path)
    data = dumps(replay, format=format or _format_by_name(final))
    part, file = _create_part(final)
    try:
        with file, naming(final):
            _write_all(file, data)
            os.fsync(file.fileno())
        os.replace(part, final)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _name_to_disk(final)


def load(path: Name, *, strict: bool = False, limits: ReadLimits | None = None) -> Replay:
    """Read a replay of either format; see :func:`retick.replay.loads`. Raises OSError if the file cannot be read."""
    return loads(read_bounded(path, limits), strict=strict, limits=limits)


def read_bounded(path: Name, limits: ReadLimits | None = None) -> bytearray:
    """Read a file's bytes; raises LimitExceeded as soon as it is larger than the limits.

    OSError if it cannot be opened, or is a pipe, a device or a folder.
    """
    with open(path, "rb", opener=regular) as file:
        return read_stream(file, limits)


def read_stream(file: BinaryIO, limits: ReadLimits | None = None) -> bytearray:
    """Read an open file as ``read_bounded`` does."""
    limits = limits or ReadLimits()
    data = bytearray()
    # In pieces, because the size of a file cannot be trusted: a pipe has none, and another program may be writing it.
    while piece := file.read(PIECE):
        data += piece
        if len(data) > limits.max_bytes:
            raise LimitExceeded(
                f"the file is over the limit of {limits.max_bytes} bytes",
                what="file bytes",
                limit=limits.max_bytes,
                actual=len(data),
            )
    return data


class RecordingFile:
    """Writes a recorder's bytes to a file while the match is played.

    ::

        with RecordingFile("match.rtk", Recorder.for_game(game, seed=1)) as file:
            file.recorder.add_frame((2, 1))
            file.write()            # once a second, or in every frame: what was recorded is in the file
            file.finish(checksum)   # the file has its name now

    After an exception, or without ``finish``, the file keeps its ``.part`` name and what was recorded so far. When the
    disk is full, ``write`` or ``finish`` raises an OSError once; the match may go on, later calls of ``write`` do
    nothing, and ``failed`` is true. A later write, once space is free, would leave a gap.
    """

    def __init__(self, path: Name, recorder: Recorder) -> None:
        self.path = Path(path)
        self.recorder = recorder
        self.failed = False
        """Whether a write failed: then the ``.part`` file is good up to its last whole block, and stays as it is."""
        self.part, self._file = _create_part(self.path)
        try:
            self.write()
        except OSError:
            self.part.unlink(missing_ok=True)  # not even the head of the recording is in it
            raise

    def write(self) -> None:
        """Append what was recorded, in one write; may be called every frame. Fewer than 30 frames wait until later."""
        if not self.recorder.finished and self.recorder.waiting >= LEAST_FRAMES:
            self.recorder.flush()
        data = self.recorder.drain()
        if data and not self.failed:
            with self._stopping():
                _write_all(self._file, data)

    def finish(self, checksum: int | None = None) -> None:
        """End the recording and give the file its name; ``checksum`` is that of the final state, if known."""
        if self._file.closed:
            raise UsageError(f"the recording {self.path} is closed")
        if not self.recorder.finished:
            self.recorder.finish(checksum)
        self.write()
        with self._stopping():
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self.part, self.path)
            _name_to_disk(self.path)

    def close(self) -> None:
        """Stop without finishing: what was recorded so far stays in the ``.part`` file."""
        if self._file.closed:
            return
        if not self.recorder.finished:
            self.recorder.flush()
        self.write()
        with self._stopping():
            os.fsync(self._file.fileno())
            self._file.close()

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """Close the file at the first failure."""
        try:
            with naming(self.part):
                yield
        except OSError:
            self.failed = True
            with suppress(OSError):
                self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


class LiveRecording:
    """Records the matches of one session: ``RollbackSession(game, record=LiveRecording("match.rtk"))``.

    Each match is one file: the first under the name given, ``match-2.rtk`` and so on after it. A match that continues
    after a resync stays in its file. Recorded content is written once a second; if the process is killed, at most that
    second and frames not yet final are lost, the file keeps its ``.part`` name, and ``load`` reads it. A file is forced
    to the disk only at its end: a power cut can lose more. A disk that becomes full ends the recording but not the
    match: the file is good up to there, and ``failure`` gives the reason.
    """

    def __init__(self, path: Name, *, metadata: Mapping[str, str] | None = None) -> None:
        """No file is made before the first match begins. ``metadata`` is written into each file."""
        self.path = Path(path)
        """The path of the newest recording: the file asked for, or its ``.part`` if the recording ended early."""
        self.files: list[Path] = []
        """The paths of complete recordings."""
        self.failure = ""
        """The reason why the newest recording ended before its match; empty if it did not."""
        self.frame = 0
        """The frame up to which the newest recording is written, in the file's numbering."""
        self._wanted = Path(path)
        self._metadata = dict(metadata or {})
        self._matches = 0
        self._file: RecordingFile | None = None

    def begin(
        self, game: Any, *, seed: int, frame: int, state: Any, local_players: Sequence[int], goes_on: bool
    ) -> None:
        """Begin a match at ``frame``, from ``state`` or the seed; with ``goes_on`` the last match continues."""
        if goes_on and self._file is not None:
            if not self.failure:
                with self._stopping():
                    self._file.recorder.add_resync(game.pack_state(state))
            return
        self._file, self.failure, self.frame = None, "", frame
        self.path = self._next_path()
        with self._stopping():
            packed = None if state is None else game.pack_state(state)
            recorder = Recorder.for_game(
                game,
                seed=seed,
                start_frame=frame,
                start_state=packed,
                local_players=local_players,
                metadata=self._metadata,
            )
            self._file = RecordingFile(self.path, recorder)

    def note(self, key: str, value: str) -> None:
        """Write a note into the recording that runs, and into those of later matches; a later value replaces it."""
        file = self._file
        is_new = self._metadata.get(key) != value
        self._metadata[key] = value
        if is_new and file is not None and not self.failure and not file.recorder.finished:
            file.recorder.add_metadata(key, value)

    def add_frame(self, inputs: Sequence[int], /) -> None:
        """Record the inputs of the next frame."""
        if self._file is not None and not self.failure:
            self._file.recorder.add_frame(inputs)

    def add_checksum(self, checksum: int, /) -> None:
        """Record the checksum of the state that the inputs so far lead to."""
        if self._file is not None and not self.failure:
            self._file.recorder.add_checksum(self._file.recorder.frame, checksum)

    def flush(self) -> None:
        """Write everything recorded so far."""
        if self._file is not None and not self.failure:
            self._file.recorder.flush()
            with self._stopping():
                self._file.write()
                self.frame = self._file.recorder.frame

    def end(self, checksum: int, /) -> None:
        """Write the rest and the checksum of the last state, and give the file its name."""
        if self._file is not None and not self.failure:
            with self._stopping():
                self._file.finish(checksum)
                self.frame = self._file.recorder.frame
                self.files.append(self.path)

    def close(self) -> None:
        """Stop without finishing, for a session that is abandoned: what was recorded stays in the ``.part`` file."""
        if self._file is not None:
            with self._stopping():
                self._file.close()

    def summary(self) -> str:
        """Where the newest recording is, and how far it goes if it ended early."""
        if not self.failure:
            return f"recorded in {self.path}"
        if self._file is None:
            return f"not recorded: {self.path} could not be written: {self.failure}"
        return f"recorded in {self.path} up to about frame {self.frame}, where it could not be written: {self.failure}"

    def _next_path(self) -> Path:
        """The name that was given; for later matches, with the next free number."""
        self._matches += 1
        path = self._wanted
        while self._matches > 1:
            path = self._wanted.with_name(f"{self._wanted.stem}-{self._matches}{self._wanted.suffix}")
            if not path.exists():
                break
            self._matches += 1
        return path

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """End the recording on an error of the disk, or on a state too large for a block."""
        try:
            yield
        except OSError as error:
            self._fail(error.strerror or str(error))
        except EncodeError as error:
            self._fail(str(error))

    def _fail(self, why: str) -> None:
        self.failure = why
        if self._file is not None:
            self.path = self._file.part
            self._file.close()


def _format_by_name(path: Path) -> Format | None:
    suffix = path.suffix.lower()
    return "rtk" if suffix == ".rtk" else "rplk" if suffix == ".rplk" else None


def _create_part(final: Path) -> tuple[Path, FileIO]:
    """Create a new file beside the final one: renaming works only within one disk, and no file is ever overwritten.

    It is unbuffered: what a full disk refused must not be tried again when the file is closed.
    """
    for number in range(1, 10_000):
        part = final.with_name(f"{final.name}.{number}.part")
        try:
            return part, open(part, "xb", buffering=0)
        except FileExistsError:
            continue
    raise UsageError(f"there are too many unfinished files named {final.name}.*.part: remove them")


def _write_all(file: FileIO, data: bytes) -> None:
    """Write all bytes: a nearly full disk takes some of them first, and refuses the rest."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) or 0 :]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file's name to errors raised in this block: errors of reads and writes lack it."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _name_to_disk(path: Path) -> None:
    """Flush the folder to the disk, so that the rename survives a power cut; Windows has no such call."""
    if os.name == "nt":
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
