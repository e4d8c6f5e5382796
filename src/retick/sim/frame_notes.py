"""Notes on what a game raises: in which frame that was, and with which inputs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["located", "note_frame"]


def note_frame(error: Exception, frame: int, seed: int, inputs: Sequence[int]) -> None:
    """Add the frame and its inputs to an error; frame -1 is the initial state. The first such note stays alone."""
    if not any(note.startswith("in frame ") for note in getattr(error, "__notes__", [])):
        if frame < 0:
            error.add_note(f"in the initial state of seed {seed}")
        else:
            error.add_note(f"in frame {frame} of the run with seed {seed}, with the inputs {tuple(inputs)}")


@contextmanager
def located(frame: int, seed: int, inputs: Sequence[int] = ()) -> Iterator[None]:
    """Add the frame and its inputs to what the game raises inside."""
    try:
        yield
    except Exception as error:
        note_frame(error, frame, seed, inputs)
        raise
