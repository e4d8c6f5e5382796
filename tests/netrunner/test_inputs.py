"""The input bundle to the byte."""

import pytest

from retick.errors import (
    DecodeError,
    InvalidValue,
    LimitExceeded,
)
from tests.netrunner.worked_examples import COMMAND, NET, ORDER


def test_the_command_is_the_worked_example() -> None:
    bundle = NET.encode_inputs([ORDER])
    assert bundle == (b"\x01\x01" + COMMAND).ljust(167, b"\0")
    assert NET.decode_inputs(bundle) == (ORDER,)


@pytest.mark.parametrize(("count", "error"), [(0, InvalidValue), (6, LimitExceeded), (255, LimitExceeded)])
def test_a_bundle_of_no_or_too_many_commands_is_refused(count: int, error: type[DecodeError]) -> None:
    bundle = bytearray(NET.encode_inputs([ORDER] * 5))
    bundle[1] = count
    with pytest.raises(error):
        NET.decode_inputs(bytes(bundle))
