"""Reasons and the texts that go with them."""

import re
from pathlib import Path

import pytest

from retick.errors import InvalidValue
from retick.link.layout import MAX_TEXT
from retick.link.reasons import DROPS, Reason, cut_text, decode_text, describe, printable_text


def test_text_is_cut_between_characters_and_made_printable() -> None:
    assert len(cut_text("ü" * 100)) == 120
    assert len(cut_text("x" + "ü" * 100)) == 119
    assert printable_text(b"red \x1b[31m") == "red ?[31m"


def test_every_code_has_words_and_another_is_shown_as_its_number() -> None:
    words = [describe(reason) for reason in Reason]
    assert len(set(words)) == len(Reason)
    assert describe(200) == "reason 200"


def test_text_that_is_not_utf_8_is_an_invalid_value() -> None:
    with pytest.raises(InvalidValue, match="not UTF-8"):
        decode_text(b"\xff")
    assert decode_text(cut_text("x" * 500)) == "x" * MAX_TEXT


def test_the_page_of_the_format_lists_every_reason_and_every_name_of_a_drop() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats" / "link.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \| ([A-Z_]+) \|", page, re.MULTILINE) == [(str(r.value), r.name) for r in Reason]
    counters = page[page.index("## Validation and counters") : page.index("## Limits")]
    assert tuple(re.findall(r"`([a-z_]+)`", counters.split("|---|---|")[1].replace("`events()`", ""))) == DROPS
