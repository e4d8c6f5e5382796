"""The numbers of the wire format agree with each other, and stand in one module."""

from pathlib import Path

import retick
from retick.snapshot import layout

SOURCE = Path(retick.__file__).parent


def test_the_offsets_are_those_of_the_header() -> None:
    packed = layout.HEADER.pack(layout.MAGIC, 0x0201, 0x0403, 0x0C0B0A0908070605, 0x100F0E0D, 0x14131211, 0x18171615)
    assert len(packed) == layout.HEADER.size == layout.HEADER_BYTES
    assert int.from_bytes(packed[:4], "little") == layout.MAGIC_WORD
    first = {packed[at]: at for at in range(4, len(packed))}
    assert first[0x01] == layout.VERSION_AT
    assert first[0x03] == layout.FLAGS_AT
    assert first[0x05] == layout.HASH_AT
    assert first[0x0D] == layout.TICK_AT
    assert first[0x11] == layout.BASELINE_TICK_AT
    assert first[0x15] == layout.PAYLOAD_BYTES_AT


def test_the_magic_is_written_in_one_module() -> None:
    spellings = ("CEDS", r"\x43\x45\x44\x53", "0x53444543", "1396983107")
    holding = {
        path.relative_to(SOURCE).with_suffix("").as_posix()
        for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pxd"))
        if any(spelling in path.read_text(encoding="utf-8") for spelling in spellings)
    }
    assert holding == {"snapshot/layout"}
