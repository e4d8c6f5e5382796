"""The settings that the links of a server and of its clients have in common."""

from retick.authority.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS, LARGEST_MESSAGE
from retick.authority.profile import Profile
from retick.link import LinkConfig

__all__ = ["link_config", "link_config_for"]


def link_config_for(profile: Profile, *, timeout: float, delta: bool) -> LinkConfig:
    """``timeout`` is in seconds; ``delta``: this side can use delta snapshots, also compact ones."""
    capabilities = DELTA_SNAPSHOTS | COMPACT_SNAPSHOTS if delta else 0
    return link_config(profile.game_id, profile.protocol_version, timeout=timeout, capabilities=capabilities)


def link_config(game_id: str, game_version: int, *, timeout: float, capabilities: int = 0) -> LinkConfig:
    """For any game; ``timeout`` is in seconds."""
    return LinkConfig(
        game_id=game_id,
        game_version=game_version,
        capabilities=capabilities,
        # The keepalive must be shorter than the timeout, or an idle link would look like a lost one.
        status_interval=min(1.0, timeout / 4),
        quiet_after=min(1.5, timeout / 2),
        timeout=timeout,
        max_message=LARGEST_MESSAGE,
    )
