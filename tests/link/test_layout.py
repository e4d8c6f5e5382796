"""The numbers of the wire format: the same for the C compiler, and those of the layouts that use them."""

import re
from pathlib import Path
from types import ModuleType

from retick.link import layout, packets
from retick.link.handshake import packets as handshake_packets

SOURCE = Path(layout.__file__).parent


def declared_beside(module: ModuleType) -> dict[str, int]:
    lines = Path(str(module.__file__)).with_suffix(".pxd").read_text(encoding="utf-8").splitlines()
    return {name.strip(): int(value, 0) for name, value in (line.split(" = ") for line in lines if " = " in line)}


def test_the_kernels_know_the_same_numbers() -> None:
    numbers = declared_beside(layout)
    states = {member.name: member.value for member in layout.State}
    assert {name: numbers.pop(name) for name in states} == states
    assert numbers == {name: getattr(layout, name) for name in numbers}
    assert len(numbers) >= 10


def test_sizes_are_those_of_the_layouts() -> None:
    assert packets.ENVELOPE.size == layout.ENVELOPE_SIZE
    assert packets.FRAGMENT.size == layout.FRAGMENT_HEAD_SIZE
    assert len(packets.encode_report(1, 2, packets.Report(0, 0, 0, 0, 0))) == layout.CONTROL_SIZE
    assert len(packets.encode_bye(1, 2, 3, 4, "")) == layout.BYE_SIZE
    assert len(packets.encode_prove(layout.PROVE, 1, bytes(8))) == layout.PROVE_SIZE
    assert len(packets.encode_claim(1, 2)) + 8 == layout.CLAIM_SIZE
    head = handshake_packets.encode_request(b"\xff" * layout.NONCE_SIZE).rstrip(b"\0")
    assert len(head) == layout.HANDSHAKE_HEAD_SIZE


def test_every_kind_is_a_different_byte_and_a_payload_leaves_room_for_its_delay() -> None:
    kinds = [
        getattr(layout, name)
        for name in (
            "CONTROL", "BYE", "BYE_ACK", "PROVE", "PROOF", "CLAIM", "ENTER", "ADMIT",
            "REQUEST", "COOKIE", "HELLO", "ACCEPT", "REFUSE",
        )
    ]  # fmt: skip
    assert len(set(kinds)) == 13
    assert min(kinds) == layout.PAYLOAD + layout.PAYLOAD_DELAY_NONE + 1


def test_a_kind_is_written_as_a_number_in_this_module_only() -> None:
    number = re.compile(r"\b0x(?:80|C0|C1|C2|C3|C4|C5|C6|C7|C8|E0|E1|E2|E3|E4|FFFF|8000|07FF)\b", re.IGNORECASE)
    found = [
        f"{path.name}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if path.name not in ("layout.py", "config.py") and number.search(text)
    ]
    assert found == [], "config.py bounds plain integers; every other number belongs into layout.py"
