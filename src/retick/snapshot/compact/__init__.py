"""Compact deltas: what changed, predicted from older snapshots and entropy-coded, for any schema.

It knows schemas and columns, and neither sockets nor which packets arrived. ``range_coder``, ``coder``, ``frames``,
``motion``, ``rotation``, ``entity`` and ``body`` are kernels, driven by a ``plan``; ``head`` and ``packet`` make
payloads, ``carried`` has both ends of one receiver.
"""
