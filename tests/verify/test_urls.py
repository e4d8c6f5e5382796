"""Recordings behind URLs: the file system that fsspec keeps in memory, and a web server."""

import os
import socket
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from retick.errors import MissingExtra
from retick.verify import Run
from retick.verify.manifest import is_url, read_url
from tests.verify.matches import COUNT, packed, parquet_of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def remote(folder: Path, tmp_path: Path) -> str:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    for path in folder.iterdir():
        memory.pipe(f"/season/{path.name}", path.read_bytes())
    memory.pipe("/all.tar", packed(folder, tmp_path / "all.tar").read_bytes())
    return "memory://"


@pytest.mark.parametrize("source", ["season/", "season/*.rplk", "all.tar"])
def test_folders_patterns_and_archives_behind_urls_are_read(remote: str, source: str, folder: Path) -> None:
    manifest = folder / "manifest.csv"
    rows = list(Run([remote + source], engine="threads", manifest=manifest))
    assert [row.seed for row in rows] == list(range(1, COUNT + 1))
    assert {row.verdict for row in rows} == {"ok"}


def test_a_manifest_may_name_urls(remote: str, folder: Path) -> None:
    manifest = folder / "manifest.csv"
    first, *lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join([first, *(f"memory://season/{line}" for line in lines)]))
    assert [row.verdict for row in Run(engine="threads", manifest=manifest)] == ["ok"] * COUNT
    assert next(iter(Run(["memory://season/000000.rplk"], engine="threads", manifest=manifest))).verdict == "ok"


def test_parquet_behind_a_url_is_read(remote: str, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = parquet_of(folder, tmp_path / "all.parquet").read_bytes()
    fsspec.filesystem("memory").pipe("/all.parquet", data)
    rows = list(Run(["memory://all.parquet"], engine="threads"))
    assert [row.verdict for row in rows] == ["ok"] * COUNT


def test_a_url_that_does_not_answer_is_a_row_that_says_why(remote: str) -> None:
    rows = list(Run(["memory://gone.rplk", "memory://gone/", "memory://gone.tar", "odd://x.rplk"], engine="threads"))
    assert [row.verdict for row in rows] == ["unreadable"] * 4
    assert "FileNotFoundError" in rows[0].reason
    assert rows[1].reason
    assert "Protocol not known" in rows[3].reason


class Folder(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("aiohttp", reason="http needs aiohttp: pip install 'fsspec[http]'")
    packed(folder, tmp_path / "all.tar")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Folder, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_files_folders_and_archives_of_a_web_server_are_read(server: str, folder: Path) -> None:
    manifest = folder / "manifest.csv"
    for source in ("corpus/", "all.tar"):
        rows = list(Run([server + source], engine="threads", manifest=manifest))
        assert [(row.seed, row.verdict) for row in rows] == [(seed, "ok") for seed in range(1, COUNT + 1)]
    (one,) = Run([f"{server}corpus/000000.rplk"], engine="threads")
    assert one.seed == 1


def test_a_web_server_that_has_it_not_or_is_not_there_is_a_row_that_says_why(server: str) -> None:
    with socket.socket() as taken:  # bound and not listening: nobody else gets the port, and it refuses
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        gone = [f"http://127.0.0.1:{port}/{name}" for name in ("x.rplk", "x.tar", "x/")]
        rows = list(Run([f"{server}gone.rplk", *gone], engine="threads"))
    assert [row.verdict for row in rows] == ["unreadable"] * 4
    assert "FileNotFoundError" in rows[0].reason
    assert all("Cannot connect to host" in row.reason for row in rows[1:])


def test_a_kind_of_url_whose_package_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(*words: object, **named: object) -> None:
        raise ImportError("Install s3fs to access S3\nand a long text")

    monkeypatch.setattr(fsspec, "open", lacking)
    monkeypatch.setattr(fsspec.core, "url_to_fs", lacking)
    said = 'ImportError: Install s3fs to access S3: pip install "fsspec[s3]"'
    rows = list(Run(["s3://a/x.rplk", "simplecache::s3://a/", "s3://a/x.tar"], engine="threads"))
    assert [row.reason for row in rows] == [said, said, f"the archive cannot be read further: {said}"]
    (web,) = Run(["https://a/x.rplk"], engine="threads")
    assert web.reason.endswith('pip install "fsspec[http]"')


def test_fsspec_itself_missing_is_one_line_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match="a URL needs fsspec: pip install fsspec"):
        list(Run(["memory://x.rplk"], engine="threads"))


def test_a_drive_is_no_url() -> None:
    assert not any(map(is_url, ["C:/matches", "C:\\matches", "matches", "a:b", "./x://y"]))
    assert all(map(is_url, ["s3://bucket/x", "https://host/x", "tar://x::file://y", "simplecache::s3://x"]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("form", ["file://{}", "local://{}", "simplecache::file://{}", "simplecache::{}", "File://{}"])
def test_a_url_of_a_pipe_here_is_refused_and_not_waited_for(form: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.rtk")
    with pytest.raises(OSError, match="it is a pipe, not a regular file"):
        read_url(form.format(tmp_path / "m.rtk"), 100)
