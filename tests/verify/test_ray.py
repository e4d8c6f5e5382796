"""The ray engine, with a small ray of its own: the same rows as threads, also when a worker is killed in the middle."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import retick
from retick.errors import NetworkUnavailable
from retick.replay import Row
from retick.verify import Run
from retick.verify import ray as engine
from retick.verify.batch import BatchEntry, columns
from retick.verify.games import spec_of
from retick.verify.reading import Identity, identity
from tests.verify.matches import corpus, packed

ray: Any = pytest.importorskip("ray", reason="ray is not installed: pip install ray")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def flag(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A ray of two cores for all tests here; the path is one that its workers know from their environment."""
    path = tmp_path_factory.mktemp("ray") / "flag"
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("RETICK_TEST_FLAG", str(path))
        roots = (Path(__file__).parents[2], Path(retick.__file__).parents[1])  # the tests' games, and this very package
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, roots)))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        yield path
        ray.shutdown()


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory.mktemp("matches") / "corpus", matches=40)


def rows_of(source: Path, matches: Path, by: str, game: str = "retick.fighter") -> list[Row]:
    return list(Run([source], game, engine=by, manifest=matches / "manifest.csv"))


def test_files_and_archives_give_the_rows_of_threads(flag: Path, matches: Path, tmp_path: Path) -> None:
    (matches / "odd.rplk").write_bytes(b"no replay")
    try:
        for source in (matches, packed(matches, tmp_path / "all.tar")):
            assert rows_of(source, matches, "ray") == rows_of(source, matches, "threads")
    finally:
        (matches / "odd.rplk").unlink()
    assert ray.is_initialized(), "a ray that was there before is left running"


def test_a_part_of_an_archive_is_read_by_the_worker_or_sent(
    flag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More matches than one row of lanes, so that only headers are read here; then for workers without the file."""
    many = corpus(tmp_path / "many", matches=150)
    tar = packed(many, tmp_path / "all.tar")
    sent: list[Any] = []

    class Watched(engine.RayEngine):
        def _given(self, source: Any, entries: list[Any]) -> Any:
            sent.append(type(source))
            return super()._given(source, entries)

    monkeypatch.setattr(engine, "RayEngine", Watched)
    expected = rows_of(tar, many, "threads")
    assert {row.verdict for row in expected} == {"ok"}
    assert rows_of(tar, many, "ray") == expected
    assert (tuple in sent) is retick.is_compiled()
    sent.clear()
    monkeypatch.setattr("retick.verify.archives.identity", lambda file: identity(file)._replace(changed=0))
    assert rows_of(tar, many, "ray") == expected
    assert sent[-1] is not tuple, "the bytes were sent"


def test_a_worker_looks_at_the_archive_that_it_opened(tmp_path: Path) -> None:
    many = corpus(tmp_path / "many", matches=1)
    tar = packed(many, tmp_path / "all.tar")
    with tar.open("rb") as file:
        whole = identity(file.fileno())
    spec, entries = spec_of("retick.fighter"), [BatchEntry("", 512, 512 + (many / "000000.rplk").stat().st_size)]

    def rows(expected: Identity) -> Any:
        return engine._rows_of("key", spec, (str(tar), 0, expected), columns(entries)[1:])

    assert rows(whole)[0] == ("unknown",)
    assert rows(whole._replace(device=0)) == rows(whole), "each machine has its own number for a shared disk"
    tar.rename(tmp_path / "old.tar")
    assert rows(whole) is None
    (tmp_path / "new.tar").write_bytes((tmp_path / "old.tar").read_bytes())
    (tmp_path / "new.tar").rename(tar)
    os.utime(tar, ns=(whole.changed, whole.changed))
    assert rows(whole) is None


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(
    flag: Path, matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retick.verify.run.BATCH_FILES", 4)
    assert not flag.exists()
    rows = rows_of(matches, matches, "ray", "tests.verify.matches:MortalOnce")
    assert flag.exists(), "the worker was killed"
    assert rows == rows_of(matches, matches, "threads")
    assert {row.verdict for row in rows} == {"ok"}


def test_a_match_that_kills_every_worker_is_one_row(flag: Path, matches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "TRIES_AGAIN", 0)
    monkeypatch.setattr("retick.verify.run.BATCH_FILES", 4)
    rows = rows_of(matches, matches, "ray", "tests.verify.matches:Deadly")
    assert [row.seed for row in rows if row.verdict != "ok"] == [None]
    assert rows[2].reason == "the process that ran it died"


def test_no_more_batches_than_the_window_are_under_way(
    flag: Path, matches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retick.verify.run.BATCH_FILES", 1)
    given, most = 0, 0

    class Counted(engine.RayEngine):
        def submit(self, unit: Any) -> Any:
            nonlocal given, most
            given += 1
            most = max(most, given)
            return super().submit(unit)

        def result(self, handle: Any, unit: Any) -> list[Row]:
            nonlocal given
            given -= 1
            return super().result(handle, unit)

    monkeypatch.setattr(engine, "RayEngine", Counted)
    assert len(rows_of(matches, matches, "ray")) == 40
    assert most == 8


def test_a_cluster_that_is_not_there_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch, matches: Path) -> None:
    def refused(**named: Any) -> None:
        raise ConnectionError(f"no cluster at {named['address']}\nand a long text")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refused)
    with pytest.raises(NetworkUnavailable, match=r"ray does not start: no cluster at auto$"):
        list(Run([matches], engine="ray", address="auto"))
    for address in ("127.0.0.1:9", "127.0.0.1:99999"):  # ray itself would try for minutes
        with pytest.raises(NetworkUnavailable, match=f"ray does not start: nobody answers at {address}$"):
            list(Run([matches], engine="ray", address=address))
