"""The Welcome of declared games. Their other control messages are those of ``wire.authority``.

::

    0  u8  3, the packet type
    1  u8  2, the subtype
    2  u32 version   i32 peer id   u32 server tick rate, client tick rate, snapshot rate
       u32 interpolation delay ms, extrapolation ms, smoothing ms   f32 snap threshold   i32 input delay ticks
       u32 server tick

Little-endian. Every control message has the length of its fields; any other length is refused.
"""

# retick: floats -- one threshold, carried as binary32

from typing import Final, NamedTuple

from retick.wire.authority import ControlMessages

__all__ = ["NUMBERS", "Welcome", "control_messages"]


class Welcome(NamedTuple):
    """The server's answer to a hello, in wire order. wire.authority.SessionNumbers has the units.

    NetRunner's Welcome begins with the same fields. Each is written out, since each is a wire format of its own that
    may change alone, and a NamedTuple cannot inherit fields.
    """

    version: int
    peer_id: int
    server_tick_rate: int
    client_tick_rate: int
    snapshot_rate: int
    interpolation_delay_ms: int
    max_extrapolation_ms: int
    reconcile_smooth_ms: int
    reconcile_snap_threshold: float
    input_delay_ticks: int
    server_tick: int


NUMBERS: Final = Welcome._fields[2:9]
"""The fields of a Welcome that SessionNumbers has too, under the same names."""


def control_messages(version: int) -> ControlMessages[Welcome]:
    """The control messages of a declared game of this version."""
    return ControlMessages(Welcome, "Ii6IfiI", version=version)
