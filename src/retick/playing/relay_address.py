"""Which relay to use: the one that was named, or that of the environment. docs/joining.md says so."""

import os
from collections.abc import Mapping

from retick.errors import UsageError
from retick.transport import parse_address

__all__ = ["NO_RELAY", "RELAY_PORT", "RELAY_VARIABLE", "relay_address"]

RELAY_PORT = 7788
RELAY_VARIABLE = "RETICK_RELAY"
NO_RELAY = (
    f"no relay is configured: name one with --relay ADDRESS, or set {RELAY_VARIABLE}. To start one, on a machine that "
    "the internet reaches: retick relay"
)


def relay_address(named: str | None, environment: Mapping[str, str] = os.environ) -> tuple[str, int] | None:
    """Host and port of the relay that was named, or of the environment's; None where there is neither."""
    text = (named or environment.get(RELAY_VARIABLE, "")).strip()
    if not text:
        return None
    try:
        return parse_address(text, default_port=RELAY_PORT)
    except UsageError as error:
        where = "" if named else f"{RELAY_VARIABLE}: "
        raise UsageError(f"{where}{error}") from None
