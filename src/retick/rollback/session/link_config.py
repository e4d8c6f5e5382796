"""The link's settings for a match of a game: what the handshake compares before anything else is said."""

from typing import Any

from retick.errors import UsageError
from retick.link import LinkConfig
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.roster import MAX_SEATS
from retick.sim.contract import NamesItself, input_size_of
from retick.wire import rbn1

__all__ = ["EXTENSIONS", "link_config_for"]

EXTENSIONS = rbn1.TIME_SYNC | rbn1.WIDE_INPUTS
"""The RBN1 extensions that this side knows."""
_USUAL = LinkConfig()


def link_config_for(sim: Any, config: MatchConfig) -> LinkConfig:
    """The settings of a link between peers that play this game."""
    if sim.num_players > MAX_SEATS:
        raise UsageError(f"a match over links has at most {MAX_SEATS} players, not {sim.num_players}")
    named = isinstance(sim, NamesItself)
    wide = input_size_of(sim) != 2
    # The keepalive must be shorter than the disconnect timeout, or an idle link would look like a lost one.
    quiet_after = min(_USUAL.quiet_after, 0.75 * config.disconnect_after)
    game_id = sim.game_id if named else type(sim).__name__[:30]
    return LinkConfig(
        # One class may play with any number of players; peers with different numbers must not connect.
        game_id=game_id if sim.num_players == 2 else f"{game_id}/{sim.num_players}",
        game_version=sim.game_version if named else 0,
        capabilities=EXTENSIONS,
        required=rbn1.WIDE_INPUTS if wide else 0,
        tick_rate=config.tick_rate,
        max_connections=16 + config.max_spectators,
        status_interval=min(_USUAL.status_interval, quiet_after / 1.5),
        quiet_after=quiet_after,
        timeout=config.disconnect_after,
    )
