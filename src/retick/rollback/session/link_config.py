"""The link's settings for a match of a game, which both sides compare before anything else."""

from collections.abc import Callable
from typing import Any

from retick.errors import InvalidValue, UsageError
from retick.link import Invite, LinkConfig, Reason, Sealing
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.connect import (
    LARGEST_REACH,
    decode_acceptance,
    version_fault,
)
from retick.rollback.session.messages.kinds import OTHER_VERSION, REACHES_TOO_FAR
from retick.rollback.session.messages.roster import MAX_SEATS, Reach
from retick.routes import MAX_PLACES
from retick.sim.contract import NamesItself, input_size_of
from retick.wire import rbn1

EXTENSIONS = rbn1.TIME_SYNC | rbn1.WIDE_INPUTS | rbn1.PACKED_INPUTS
"""The RBN1 extensions that this side supports."""
LONGEST_DISCONNECT = 30.0
"""The largest ``disconnect_after`` that is accepted from another peer; more if our own is larger."""
_USUAL = LinkConfig()


def sealing_of(
    *, sealed: bool, invite: Invite | str | None, identity: bytes | None, keylog: Callable[[str], None] | None
) -> Sealing:
    """The sealing options of a session or a spectator, in the link's form."""
    if isinstance(invite, str):
        invite = Invite.parse(invite)
    return Sealing(sealed=sealed, secret=None if invite is None else invite.secret, identity=identity, keylog=keylog)


def link_config_for(sim: Any, config: MatchConfig, sealing: Sealing | None = None) -> LinkConfig:
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
        **(sealing or {}),
    )


def places_for(sim: Any, config: MatchConfig) -> int:
    """How many places to ask of the relay.

    One for each player, as many again for players who come back, and one for each spectator.
    """
    return min(2 * int(sim.num_players) + config.max_spectators, MAX_PLACES)


def reach_of(config: MatchConfig) -> Reach:
    """The reach that a peer announces; raises UsageError if it could not play with a peer of the same settings."""
    reach = Reach(config.prediction_window, config.input_delay)
    if max(reach) > LARGEST_REACH:
        raise UsageError(
            f"prediction_window and input_delay are at most {LARGEST_REACH} frames over links, not {reach.window} and "
            f"{reach.delay}"
        )
    fault = reach_fault(reach, config)
    if fault is not None:
        raise UsageError(f"prediction_window and input_delay are too large: {fault}")
    return reach


def reach_fault(theirs: Reach, config: MatchConfig) -> str | None:
    """Say why our history cannot hold another peer's window and delay; None if it can.

    Its inputs may be that many frames ahead of our newest one, which is ahead of our frame by our own delay.
    """
    needed = theirs.window + theirs.delay + config.input_delay
    if needed <= config.history:
        return None
    return (
        f"window {theirs.window} and delay {theirs.delay} there need history {needed} here, which is {config.history}"
    )


def check_disconnect_after(seconds: float, config: MatchConfig) -> None:
    """Raise InvalidValue if another peer's ``disconnect_after``, which all would use, is too long."""
    most = max(LONGEST_DISCONNECT, config.disconnect_after)
    if seconds > most:
        raise InvalidValue(f"a disconnect_after of {seconds:g} s, where at most {most:g} are accepted here")


def acceptance_fault(data: bytes, config: MatchConfig) -> tuple[int, str] | None:
    """The reason and words why a peer that has accepted our request cannot play with us; None if it can."""
    fault = version_fault(data)
    if fault is not None:
        # A peer of an old version does not check ours.
        return OTHER_VERSION, fault
    try:
        fault = reach_fault(decode_acceptance(data), config)
    except InvalidValue as error:
        return Reason.VIOLATION, str(error)
    return (REACHES_TOO_FAR, fault) if fault is not None else None
