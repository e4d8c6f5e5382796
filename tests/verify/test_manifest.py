"""Manifests: CSV and Parquet, whatever the order of their columns, and what is wrong in an entry."""

from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.verify.batch import BatchEntry
from retick.verify.manifest import Manifest, entries_of, stated


def test_columns_may_come_in_any_order_and_with_others_between(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("\ufeffChecksum,note,path\n0xAb,hello,a.rplk\n,,b.rplk\n1\n")
    assert list(entries_of(path)) == [
        BatchEntry("a.rplk", checksum=0xAB),
        BatchEntry("b.rplk"),
        BatchEntry(f"{path}:3", problem="the entry has no path", is_manifests_fault=True),
    ]


@pytest.mark.parametrize(("text", "number"), [("0x41B73DB7", 0x41B73DB7), ("ab", 0xAB), (" 0 ", 0), (7, 7)])
def test_checksums_are_hex_digits_or_numbers(text: object, number: int) -> None:
    assert stated(None, text) == (None, number, "", False)


@pytest.mark.parametrize("text", ["0x", "x1", "123456789", "-1", "1_0", 1 << 32, -1, 0.5, True and "g"])
def test_what_is_no_checksum_is_said(text: object) -> None:
    assert stated(1, text)[2].startswith("the manifest's checksum must be")


@pytest.mark.parametrize("text", ["0", "4294967296", "-1", "1.0", "٣", "9" * 5000, 0, 1.5])
def test_what_is_no_seed_is_said(text: object) -> None:
    assert stated(text, 1)[2].startswith("the manifest's seed must be")


def test_paths_are_found_from_the_folder_of_the_manifest_and_by_name(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("path,seed,checksum\n./a/../b.rplk,3,5\nc.rplk,,\ns3://x/y,7,\n")
    table = Manifest(path)
    assert table.entry("shown", str(tmp_path / "b.rplk")) == BatchEntry("shown", seed=3, checksum=5)
    assert table.entry("in!c.rplk", "c.rplk", 2, 4) == BatchEntry("in!c.rplk", 2, 4)
    assert table.entry("other", "other") == BatchEntry("other")
    assert [entry.problem for entry in table.missing()] == ["no source has it"]


def test_parquet_manifests_hold_text_or_numbers(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"path": ["a", "b", None], "checksum": [5, None, 1]}), tmp_path / "m.parquet")
    found = list(entries_of(tmp_path / "m.parquet"))
    assert found[:2] == [BatchEntry("a", checksum=5), BatchEntry("b")]
    assert found[2].is_manifests_fault


@pytest.mark.parametrize("kind", ["twice", "not UTF-8"])
def test_parquet_that_is_no_manifest_is_refused_in_words(kind: str, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    if kind == "twice":
        table, said = arrow.table({"path": ["a"]}).append_column("path", [["b"]]), "more than one column path"
    else:
        places = (0).to_bytes(4, "little") + (2).to_bytes(4, "little")
        buffers = [None, arrow.py_buffer(places), arrow.py_buffer(b"\xff\xfe")]
        table, said = arrow.table({"path": arrow.Array.from_buffers(arrow.string(), 1, buffers)}), "not UTF-8"
    parquet.write_table(table, tmp_path / "m.parquet")
    with pytest.raises(UsageError, match=said):
        list(entries_of(tmp_path / "m.parquet"))
    with pytest.raises(UsageError, match=said):
        Manifest(tmp_path / "m.parquet")


@pytest.mark.parametrize("content", [b"", b"path,PATH\na,b\n", b"a,b\n1,2\n", b"\xff\xfe", b'path,seed\n"torn'])
def test_what_is_no_manifest_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes(content)
    with pytest.raises(UsageError, match="is not a manifest"):
        list(entries_of(tmp_path / "m.csv"))
    pytest.importorskip("pyarrow")
    (tmp_path / "m.parquet").write_bytes(content)
    with pytest.raises(UsageError, match="is not a manifest"):
        list(entries_of(tmp_path / "m.parquet"))
