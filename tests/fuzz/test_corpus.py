"""The inputs in the repository: all of them run at every test, and they stay small."""

from pathlib import Path

import pytest

from fuzz import corpus
from fuzz.target import of, outcome, run_one
from fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_the_whole_corpus_is_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    for data in corpus.kept(target):
        run_one(target, data)


def test_the_corpora_are_small_and_belong_to_targets() -> None:
    files = [path for path in corpus.ROOT.rglob("*") if path.is_file()]
    assert {str(path.parent.relative_to(corpus.ROOT)) for path in files} <= set(TARGETS)
    assert sum(path.stat().st_size for path in files) < 400_000


def test_what_once_was_a_bug_is_never_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "ROOT", tmp_path)
    target = of("planted/reader", len, b"seed")
    corpus.add(target, b"bug", is_crash=True)
    corpus.add(target, b"old")
    corpus.replace(target, [b"new", b"bug", b"seed"])
    assert corpus.kept(target)[0] == b"seed"
    assert set(corpus.kept(target)) == {b"seed", b"new", b"bug"}
    assert len(list(tmp_path.rglob("crash-*"))) == 1


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_said_of_an_input_names_no_object_by_its_place_in_memory(name: str) -> None:
    """Such a text is another one in each process, and tells nobody anything."""
    target = TARGETS[name]
    assert not any(" at 0x" in outcome(target, data) for data in corpus.kept(target))
