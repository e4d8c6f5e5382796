"""Statistics of a running match, as one value that can be kept, compared and shown."""

from dataclasses import dataclass, field

from retick.wire.values import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStats(Plain):
    """The network path to a remote peer."""

    rtt: float | None = None
    """The smoothed round trip in seconds; None before the first measurement or if nothing measures it."""
    jitter: float | None = None
    """The mean variation of the round trip in seconds."""
    loss_in: float = 0.0
    """The share of the other side's datagrams that did not arrive here."""
    loss_out: float = 0.0
    """The share of our datagrams that did not arrive there, as the other side reports it."""
    packets_in: int = 0
    """Datagrams received from there: all of the link's, or without a link those of the match."""
    packets_out: int = 0
    """Datagrams sent there."""
    bytes_in: int = 0
    """UDP payload bytes received from there."""
    bytes_out: int = 0
    """UDP payload bytes sent there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerStats(PathStats):
    """One remote peer: the network path to it, and the exchange of inputs."""

    packets_per_second_out: float
    """Packets a second over the last seconds."""
    bytes_per_second_out: float
    """Bytes a second over the last seconds."""
    lead: float
    """How many frames our frame is ahead of the newest input from there: how deep we roll back."""
    their_lead: float
    """The lead as the other side sees it, in frames."""
    unacknowledged: int
    """Frames of our inputs that the other side has not acknowledged."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Input packets from there that were dropped, by reason."""


@dataclass(slots=True)
class MatchCounts:
    """What a match counts now and then, under the names of ``SessionStats``. The kernel holds one object with all."""

    stalls: int = 0
    stalled_seconds: float = 0.0
    """Without the present stall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStats(Plain):
    """A whole match at one moment."""

    frame: int
    """The next frame to run."""
    confirmed_frame: int
    """The newest frame for which everyone's inputs are known."""
    rollbacks: int
    """How often frames were resimulated because a prediction was wrong."""
    resimulated_frames: int
    """Frames that rollbacks resimulated."""
    deepest_rollback: int
    """The most frames that one rollback resimulated."""
    rollback_depths: dict[int, int]
    """Depth to count: how many rollbacks resimulated that many frames."""
    stalls: int
    """How often a due frame had to wait for inputs."""
    stalled_seconds: float
    """Seconds spent waiting, the present stall included."""
    slowing: float
    """The share by which frames are now stretched, to let others catch up."""
    compared_frames: int
    """Frames whose checksums were compared with another side's."""
    peers: dict[object, PeerStats]
    """The statistics of each remote peer, by its id."""


class RateMeter:
    """Rates of packets and bytes over the last one to two seconds, from totals noted about once a second."""

    __slots__ = ("_older", "_recent")

    def __init__(self) -> None:
        self._older: tuple[float, int, int] | None = None
        self._recent: tuple[float, int, int] | None = None

    def sample(self, packets: int, octets: int, now: float) -> None:
        """Note the totals at this moment."""
        self._older = self._recent or (now, packets, octets)
        self._recent = (now, packets, octets)

    def rates(self, packets: int, octets: int, now: float) -> tuple[float, float]:
        """Packets and bytes a second, given the totals at this moment."""
        if self._older is None or now <= self._older[0]:
            return 0.0, 0.0
        since, packets_then, octets_then = self._older
        return (packets - packets_then) / (now - since), (octets - octets_then) / (now - since)
