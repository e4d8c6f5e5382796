"""What stands before the body of a compact payload, field by field: all that can be told without earlier snapshots."""

from typing import Any, NamedTuple

from retick.snapshot.compact.head import CHECK_BYTES, USUAL_AGES, Head, check_of, is_even, read_head, split_check
from retick.snapshot.compact.priors.prior import generic_prior
from retick.wire.explain import RowReader
from retick.wire.varint import encode_varuint

__all__ = ["CompactParts", "compact_parts"]


class CompactParts(NamedTuple):
    """A payload in parts; they fill it."""

    form: int
    check: int | None
    head: Head
    structure_at: int
    """Where its sections start; the body if there are none."""
    body_at: int
    size: int
    check_is_of_prior: bool
    """Whether the check is that of a payload coded from the library's prior."""

    @property
    def summary(self) -> str:
        """In a few words."""
        if self.head.plain:
            return "plain sections"
        body = f"{self.size - self.body_at} bytes of body, {len(self.head.ages)} history frames"
        return body + (f", {len(self.head.structure)} of structure" if self.head.structure else "")

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        head = self.head
        return {
            "form": self.form,
            "check": self.check,
            "check_is_of_prior": self.check_is_of_prior,
            "ages": list(head.ages),
            "carried": head.carried,
            "cut": head.cut,
            "plain": head.plain,
            "structure_bytes": len(head.structure),
            "body_bytes": self.size - self.body_at,
        }

    def read_rows(self, reader: RowReader) -> None:
        """Rows of everything, from where ``reader`` stands."""
        reader.add(1, "form", f"0x{self.form:02x}", self._form_names())
        if self.check is not None:
            known = (
                "right: coded from the library's prior" if self.check_is_of_prior else "of statistics not known here"
            )
            reader.add(CHECK_BYTES, "check", f"0x{self.check:08x}", known)
        ages = self.head.ages
        if is_even(ages):
            reader.add(1, "ages", ", ".join(map(str, ages)), "ticks before the baseline; the first is sent")
        elif ages and ages != USUAL_AGES:
            reader.add(1, "history frames", str(len(ages)))
            reader.add(len(ages), "ages", ", ".join(map(str, ages)), "ticks before the baseline")
        if self.head.cut is not None:
            size = len(encode_varuint(self.head.cut))
            reader.add(size, "cut", str(self.head.cut), "first entity that stays as it is")
        structure = self.head.structure
        if structure:
            reader.add(len(encode_varuint(len(structure))), "structure bytes", str(len(structure)))
            reader.raw(len(structure), "structure", "destroys and creates, sections of version 2")
        reader.raw(
            self.size - self.body_at,
            "sections" if self.head.plain else "body",
            "of version 2" if self.head.plain else "entropy-coded: needs the snapshots before it",
        )

    def _form_names(self) -> str:
        head = self.head
        found = [self._history_name(), "carried statistics" if head.carried else "from the prior"]
        found += ["check"] * (self.check is not None) + ["structure"] * bool(head.structure)
        found += ["cut"] * (head.cut is not None) + ["plain"] * head.plain
        return ", ".join(found)

    def _history_name(self) -> str:
        ages = self.head.ages
        if not ages:
            return "no history"
        return "usual history" if ages == USUAL_AGES else "even history" if is_even(ages) else "listed history"


def compact_parts(payload: bytes, tick: int, base_tick: int) -> CompactParts:
    """The parts of a delta's payload, or a DecodeError."""
    bare, check = split_check(payload, False)
    head, at = read_head(bare)
    moved = len(payload) - len(bare)
    # The prior is the one start that is known without state; carried statistics start from it, too.
    is_of_prior = check == check_of(bare, generic_prior().digest, tick, base_tick)
    start = at + moved
    return CompactParts(payload[0], check, head, start - len(head.structure), start, len(payload), is_of_prior)
