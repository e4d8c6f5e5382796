"""The address of the HTTP page, and why it cannot be opened."""

import pytest

from retick.errors import UsageError
from retick.serving.page_options import page_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9100", ("127.0.0.1", 9100)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0:9100", ("0.0.0.0", 9100)),
        ("[::]:9100", ("::", 9100)),
        ("localhost:9100", ("localhost", 9100)),
    ],
)
def test_the_metrics_page_has_a_port_or_an_address(text: str, address: tuple[str, int]) -> None:
    assert page_address(text) == address


@pytest.mark.parametrize("text", ["", ":9100", "x", "65536", "host:", "host:-1", "1.2.3.4:99999", "٩"])
def test_another_address_of_the_metrics_page_is_misuse(text: str) -> None:
    with pytest.raises(UsageError, match="--metrics"):
        page_address(text)
