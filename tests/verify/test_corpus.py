"""The corpus in the repository: the fighter's bits, and those of its bots, cannot change unseen."""

from collections import Counter
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.verify import Run, generate
from retick.verify.kernel import read_members
from tests.verify.matches import Turned, manifest_of

CORPUS = Path(__file__).parents[1] / "vectors" / "corpus"
MATCHES = 150


def test_every_match_of_the_corpus_ends_as_it_did_when_it_was_written() -> None:
    run = Run([CORPUS / "matches.tar"], "retick.fighter", engine="threads", manifest=CORPUS / "manifest.csv")
    rows = list(run)
    assert Counter(row.verdict for row in rows) == {"ok": MATCHES}
    assert sum(row.frames or 0 for row in rows) == MATCHES * 480


def test_a_fighter_with_one_rule_changed_fails_there() -> None:
    run = Run([CORPUS / "matches.tar"], Turned(), engine="threads", manifest=CORPUS / "manifest.csv")
    assert Counter(row.verdict for row in run) == {"differs": MATCHES}


def test_the_command_still_writes_the_same_bytes(tmp_path: Path) -> None:
    written = list(generate(tmp_path / "new", matches=9, seed=1, frames=480))
    data = (CORPUS / "matches.tar").read_bytes()
    kept = {member.name: data[member.start : member.end] for member in read_members(data)}
    assert len(kept) == MATCHES
    assert len(data) + (CORPUS / "manifest.csv").stat().st_size < 500_000
    for path in written:
        assert path.read_bytes() == kept[path.name]
    assert manifest_of(tmp_path / "new") == manifest_of(CORPUS)[:9]


def test_a_folder_with_something_in_it_and_numbers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for named in ({"folder": tmp_path}, {"matches": 0}, {"frames": 0}, {"seed": 0}, {"seed": 0xFFFFFFFF}):
        arguments = {"folder": tmp_path / "new", "matches": 1, **named}
        with pytest.raises(UsageError):
            list(generate(**arguments))  # type: ignore[arg-type]  # some of them are wrong
    assert not (tmp_path / "new" / "manifest.csv").exists()
