"""The settings that the links of a server and of its clients have in common."""

from retick.authority.config import DELTA_SNAPSHOTS, LARGEST_MESSAGE
from retick.authority.profile import Profile
from retick.link import LinkConfig

__all__ = ["link_config_for"]


def link_config_for(profile: Profile, *, timeout: float, delta: bool) -> LinkConfig:
    """``timeout`` is in seconds; ``delta``: this side can use delta snapshots."""
    return LinkConfig(
        game_id=profile.game_id,
        game_version=profile.protocol_version,
        capabilities=DELTA_SNAPSHOTS if delta else 0,
        # The keepalive must be shorter than the timeout, or an idle link would look like a lost one.
        status_interval=min(1.0, timeout / 4),
        quiet_after=min(1.5, timeout / 2),
        timeout=timeout,
        max_message=LARGEST_MESSAGE,
    )
