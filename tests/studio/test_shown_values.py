"""Values of every kind become short texts."""

import pytest

from retick.studio.shown import LONGEST_VALUE, MOST_FIELDS, shown_fields, shown_value


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "5"), (-1, "-1"), (True, "True"), (0.5, "0.5"), (float("nan"), "nan"), ("a", "'a'"), (None, "None"),
     ({2, 1}, "{1, 2}"), (1 << 600, "an integer of 601 bits")],
)  # fmt: skip
def test_values_are_shown_as_reports_show_them(value: object, text: str) -> None:
    assert shown_value(value) == text


def test_long_values_and_many_fields_are_cut_and_counted() -> None:
    assert len(shown_value("x" * 1000)) == LONGEST_VALUE
    fields, more = shown_fields((f"f{at}", at) for at in range(MOST_FIELDS + 3))
    assert (len(fields), more, fields[-1]) == (MOST_FIELDS, 3, (f"f{MOST_FIELDS - 1}", str(MOST_FIELDS - 1)))
