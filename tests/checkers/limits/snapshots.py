"""The limits of compact snapshots."""

from tests.checkers.limits.limit import Limit

__all__ = ["SNAPSHOT_LIMITS"]

_COMPACT = "tests/snapshot/compact/"

# fmt: off
SNAPSHOT_LIMITS: tuple[Limit, ...] = (
    Limit("snapshot.compact.numbers:FRAMES", "history frames of a compact delta", "an argument passes it",
          _COMPACT + "test_packet.py::test_history_that_no_packet_can_name_is_refused"),
    Limit("snapshot.compact.numbers:OLDEST", "ticks from a baseline to its history", "an argument passes it",
          _COMPACT + "test_packet.py::test_history_that_no_packet_can_name_is_refused"),
    Limit("snapshot.compact.packet:MOST_FACTORS", "spacings of frames whose factors are kept",
          "the constant is replaced", _COMPACT + "test_packet.py::test_spacings_of_frames_fill_no_memory"),
    Limit("snapshot.compact.defaults:WIDEST", "bits of a field that may move", "a wider field",
          _COMPACT + "test_defaults.py::test_a_group_that_does_not_fit_is_refused"),
    Limit("snapshot.compact.prior:MOST_OWN", "own models and weights of a prior", "a prior that unpacks to more",
          _COMPACT + "test_prior.py::test_a_prior_that_unpacks_without_end_is_refused"),
)
# fmt: on
