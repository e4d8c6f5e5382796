"""Limits that a reader checks before it loops or allocates, and a writer before it sends."""

from dataclasses import dataclass, fields

from retick.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits; each is inclusive: a count or size equal to it passes."""

    max_packet_bytes: int = 65536
    """Bytes of a packet with the 28-byte header, when decoding."""
    max_sections: int = 16
    """Sections in a packet, when decoding."""
    max_section_len: int = 32768
    """Bytes of one section's body, when decoding; a strict encoder keeps to it too."""
    max_entities_create: int = 1024
    """Entities in a create section."""
    max_entities_update: int = 2048
    """Entities in an update section."""
    max_entities_destroy: int = 1024
    """Ids in a destroy section."""
    max_components_per_entity: int = 64
    """Components of the schema, in full snapshots; components of one entity, in change lists."""
    max_fields_per_component: int = 64
    """Fields of each component that a packet uses."""
    max_section_bytes: int = 65536
    """Bytes of one section's body, when encoding and when a body is decoded."""
    max_total_entities_after_apply: int = 4096
    """Entities in the world after a delta."""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not isinstance(value, int) or not 0 <= value <= 0x7FFFFFFF:
                raise UsageError(f"{item.name} must be from 0 to 2147483647, not {value!r}")
