"""Explains datagrams of every format, measures captures over time, and exports both: pcapng files, Wireshark.

It knows the packages that own the formats, and no format itself. ``cli`` and ``studio`` import it.
"""

__all__: list[str] = []
