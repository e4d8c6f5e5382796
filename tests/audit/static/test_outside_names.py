"""Names outside of a simulation: the longest entry decides."""

import pytest

from retick.audit.static.rules_outside import outside_rule


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("time.time", "clock"),
        ("time.struct_time", None),
        ("pygame.Rect", "engine"),
        ("pygame.time.get_ticks", "clock"),
        ("os.environ.get", "environment"),
        ("os.path.join", None),
        ("os.path.exists", "io"),
        ("random.Random().random", "random"),
        ("timely.time", None),
        ("builtins.print", "output"),
    ],
)
def test_the_longest_entry_decides(name: str, rule: str | None) -> None:
    assert outside_rule(name) == rule
