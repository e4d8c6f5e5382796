"""The part of a match that no rollback can change: its inputs and states, and whether it is over.

Theory of operation. All peers have the same confirmed inputs, so all of them find the end at the same frame without
asking each other. A ConfirmedMatch steps its own state from these inputs alone. Its checksum does not depend on
predictions and rollbacks, so it is worth comparing between peers.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from retick.games.fighter import Fighter, FighterState
from retick.games.fighter.game import hits_in, knocked_out
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.replay import LiveRecording, Replay, save
from retick.sim.contract import input_size_of

FRAMES_AFTER_DECISION = 3 * TICKS_PER_SECOND // 2
"""Frames from the deciding moment to the end of a match whose length was not given."""


class ConfirmedMatch:
    """The confirmed inputs and the state they lead to. A subclass for each game says what decides a match."""

    def __init__(
        self,
        game: Any,
        seed: int,
        *,
        frames: int | None = None,
        longest: int | None = None,
        state: Any = None,
        frame: int = 0,
    ) -> None:
        """The match lasts exactly ``frames``, or else until a moment after it is decided, at most ``longest`` frames.

        For a peer that joins in mid-match it begins with ``state`` at ``frame``.
        """
        self.game = game
        self.seed = seed
        self.state = game.initial_state(seed) if state is None else state
        self.frame = frame
        """The frame whose inputs come next."""
        self.decided: Any = None
        """The state in which the match was decided; None before that."""
        self.payload = bytearray()
        """The inputs in the form of a replay's payload."""
        self._size = input_size_of(game)
        self._last = frames if frames is not None else longest
        self._ends_early = frames is None

    @property
    def over(self) -> bool:
        return self._last is not None and self.frame >= self._last

    @property
    def last(self) -> int | None:
        """The frame at which the match ends; None if not known yet."""
        return self._last

    @property
    def checksum(self) -> int:
        checksum: int = self.game.checksum(self.state)
        return checksum

    def add(self, rows: Iterable[tuple[int, ...]]) -> None:
        """Add the confirmed inputs of the next frames; those after the end are ignored."""
        for row in rows:
            if self.over:
                return
            self.state = self.game.step(self.state, row)
            self.frame += 1
            for pressed in row:
                self.payload += pressed.to_bytes(self._size, "little")
            self.note(self.state)
            if self.decided is None and self.decides(self.state):
                self._decide()

    def note(self, state: Any) -> None:
        """Called with each new state, so that a subclass can count."""

    def decides(self, state: Any) -> bool:
        """Whether this state decides the match."""
        return False

    def replay(self) -> Replay:
        """The match so far, from its first frame, as a replay."""
        return Replay(
            seed=self.seed, frames=bytes(self.payload), num_players=self.game.num_players, input_size=self._size
        )

    def save(self, path: Path) -> None:
        """Write the match to a file; RTK also holds the final checksum, so it can be verified."""
        match = self.replay()
        if path.suffix.lower() != ".rplk":
            named = {"game_id": self.game.game_id, "game_version": self.game.game_version}
            match = match.replace(checkpoints={self.frame: self.checksum}, **named)
        save(path, match)

    def _decide(self) -> None:
        self.decided = self.state
        if self._ends_early:
            end = self.frame + FRAMES_AFTER_DECISION
            self._last = end if self._last is None else min(self._last, end)


class ConfirmedFight(ConfirmedMatch):
    """A match of the fighter, decided by a knock-out."""

    def __init__(self, seed: int, **options: Any) -> None:
        super().__init__(Fighter(), seed, **options)
        self.hits = (0, 0)
        """Hits landed by each player."""

    def note(self, state: FighterState) -> None:
        by_first, by_second = hits_in(state)
        self.hits = (self.hits[0] + by_first, self.hits[1] + by_second)

    def decides(self, state: FighterState) -> bool:
        return knocked_out(state)


def outcome(confirmed: ConfirmedFight, names: tuple[str, str]) -> str:
    """Who won, or leads, in words."""
    last = confirmed.decided or confirmed.state
    first, second = last.p1.hp, last.p2.hp
    if first == second:
        return "double knock-out" if first == 0 else "a draw"
    better = names[0] if first > second else names[1]
    if min(first, second) == 0:
        return f"{better} wins by knock-out"
    return f"{better} {'wins on points' if confirmed.over else 'leads'}"


class FollowedMatch:
    """The recorder of a driver's session: feeds a ConfirmedMatch, and the recording if there is one.

    It implements ``retick.rollback.RecordsMatches``. Both get the same final frames, so they end at the same one.
    """

    def __init__(
        self, confirmed: Callable[[int, Any, int], ConfirmedMatch], recording: LiveRecording | None = None
    ) -> None:
        """``confirmed(seed, state, frame)`` is called when a match begins; a state of None means the seed's."""
        self.recording = recording
        self.confirmed: ConfirmedMatch | None = None
        self.players: tuple[int, ...] = ()
        """The seats played here."""
        self._confirmed_for = confirmed

    def begin(
        self, game: Any, *, seed: int, frame: int, state: Any, local_players: Sequence[int], goes_on: bool
    ) -> None:
        if self.recording is not None:
            self.recording.begin(
                game, seed=seed, frame=frame, state=state, local_players=local_players, goes_on=goes_on
            )
        self.players = tuple(local_players)
        self.confirmed = self._confirmed_for(seed, state, frame)

    def add_frame(self, inputs: Sequence[int], /) -> None:
        if self.recording is not None:
            self.recording.add_frame(inputs)
        if self.confirmed is not None:
            self.confirmed.add([tuple(inputs)])

    def add_checksum(self, checksum: int, /) -> None:
        if self.recording is not None:
            self.recording.add_checksum(checksum)

    def flush(self) -> None:
        if self.recording is not None:
            self.recording.flush()

    def end(self, checksum: int, /) -> None:
        if self.recording is not None:
            self.recording.end(checksum)
