"""Numbers of a running match, as one value that can be kept, compared and shown."""

from dataclasses import dataclass, field

__all__ = ["PeerStats", "RateMeter", "SessionStats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerStats:
    """The way to one other machine."""

    rtt: float | None
    """Smoothed round trip in seconds; None before the first measurement or where nothing measures it."""
    jitter: float | None
    """Mean variation of the round trip in seconds."""
    loss_in: float
    """Share of the other side's datagrams that did not arrive here."""
    loss_out: float
    """Share of our datagrams that did not arrive there, as the other side reports it."""
    packets_in: int
    packets_out: int
    bytes_in: int
    """UDP payload bytes."""
    bytes_out: int
    packets_per_second_out: float
    """Over the last seconds."""
    bytes_per_second_out: float
    """Over the last seconds."""
    lead: float
    """Frames by which our frame is ahead of the newest input from there: how deep we roll back."""
    their_lead: float
    """The same seen from there."""
    unacknowledged: int
    """Frames of our inputs that the other side has not confirmed yet."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Packets from there that were not taken, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStats:
    """A whole match at one moment."""

    frame: int
    """The next frame to run."""
    confirmed_frame: int
    """The newest frame that everyone's inputs are known for."""
    rollbacks: int
    resimulated_frames: int
    deepest_rollback: int
    rollback_depths: dict[int, int]
    """How many rollbacks ran again how many frames."""
    stalls: int
    """How often a due frame had to wait for inputs."""
    stalled_seconds: float
    """Time spent waiting, the present stall included."""
    slowing: float
    """Share by which frames are stretched now, to let others catch up."""
    compared_frames: int
    """Frames whose checksums were compared with another side's."""
    peers: dict[object, PeerStats]
    """By the key of each other machine."""


class RateMeter:
    """Running totals of packets and bytes, and their rates over the last one to two seconds.

    Whoever counts gives the totals by ``sample`` about once a second, and sets them before asking for ``rates``.
    """

    __slots__ = ("_older", "_recent", "bytes", "packets")

    def __init__(self) -> None:
        self.packets = self.bytes = 0
        self._older: tuple[float, int, int] | None = None
        self._recent: tuple[float, int, int] | None = None

    def sample(self, packets: int, octets: int, now: float) -> None:
        """The totals at this moment."""
        self.packets, self.bytes = packets, octets
        self._older = self._recent or (now, packets, octets)
        self._recent = (now, packets, octets)

    def rates(self, now: float) -> tuple[float, float]:
        """Packets and bytes a second."""
        if self._older is None or now <= self._older[0]:
            return 0.0, 0.0
        since, packets, octets = self._older
        return (self.packets - packets) / (now - since), (self.bytes - octets) / (now - since)
