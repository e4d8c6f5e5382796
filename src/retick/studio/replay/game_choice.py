"""Which game a file is shown with. A file never decides what is imported: it only picks one of the games known here."""

from collections.abc import Callable, Mapping
from typing import Any

from retick.audit.game_loader import GAME_IDS, load_game, made_for
from retick.errors import UsageError
from retick.replay import Replay
from retick.sim.contract import Simulation

__all__ = ["Games", "UnknownGame"]

FIGHTER = "retick.fighter"
START = "start the studio with it: retick studio module:Class"


class UnknownGame(UsageError):
    """The file is of a game that is not known here."""


class Games:
    """The games of this library, and the one that was named on the command line."""

    def __init__(self, own: str | None, known: Mapping[str, str] = GAME_IDS) -> None:
        self._own = None if own is None else load_game(own)
        self._name = own
        self._known = known

    def make_for(self, replay: Replay) -> Callable[[], Simulation[Any]]:
        """What makes a new game for a recording each time; UnknownGame if none fits."""
        make = self._maker(replay)
        return lambda: made_for(make, replay.num_players)

    def _maker(self, replay: Replay) -> Callable[[], Simulation[Any]]:
        if replay.game_id in self._known:
            return load_game(self._known[replay.game_id])
        own_id = None if self._own is None else getattr(self._own(), "game_id", "")
        if self._own is not None and own_id == replay.game_id:
            return self._own
        if replay.game_id:
            raise UnknownGame(f"the recording is of {replay.game_id[:80]!r}, which is not known here: {START}")
        if not replay.checkpoints:
            # An RPLK file cannot name its game and is always of the fighter. Checksums mean that this is no RPLK file.
            return load_game(self._known[FIGHTER])
        raise UnknownGame(f"the recording does not say which game it is of: {START}")
