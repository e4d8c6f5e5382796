"""Datagrams of every format in words, captures measured over time, and both for other programs: pcapng, Wireshark.

It knows the packages that own the formats, and no format itself. ``cli`` and ``studio`` import it.
"""

__all__: list[str] = []
