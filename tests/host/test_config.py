import pytest

from retick.errors import UsageError
from retick.netrunner import ServerConfig


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({"rooms": ("a", "a")}, "twice"), ({"catch_up_ticks": 0}, "at least 1")],
)
def test_settings_that_no_server_can_have_are_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        ServerConfig(**wrong)  # type: ignore[arg-type]  # wrong on purpose
