"""What peers compare before they play: versions, and how far each may be ahead of the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.link.layout import MAX_TEXT
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.link_config import acceptance_fault, reach_fault, reach_of
from retick.rollback.session.messages.connect import Reach, encode_acceptance

reaches = st.builds(Reach, st.integers(0, 255), st.integers(0, 255))


def test_a_peer_announces_its_window_and_its_delay() -> None:
    assert reach_of(MatchConfig(prediction_window=9, input_delay=4)) == (9, 4)
    assert reach_of(MatchConfig(prediction_window=0, input_delay=64)) == (0, 64)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (MatchConfig(prediction_window=256, history=400), "at most 255 frames over links, not 256 and 2"),
        (MatchConfig(prediction_window=120, input_delay=5), "window 120 and delay 5 there need history 130 here"),
    ],
)
def test_settings_with_which_nobody_could_play_are_refused_at_once(config: MatchConfig, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        reach_of(config)


@given(reaches, st.integers(0, 64))
def test_a_reach_is_refused_if_and_only_if_history_cannot_hold_it(reach: Reach, delay: int) -> None:
    config = MatchConfig(input_delay=delay, prediction_window=1)
    fault = reach_fault(reach, config)
    assert (fault is None) == (sum(reach) + delay <= 128)
    assert fault is None or len(fault) <= MAX_TEXT
    found = acceptance_fault(encode_acceptance(reach), config)
    assert (found is None) == (fault is None)
    assert found is None or found[1] == fault
