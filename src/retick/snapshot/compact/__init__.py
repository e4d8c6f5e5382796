"""Compact deltas: what changed, predicted from older snapshots and entropy-coded, for any schema.

It knows schemas and columns, and neither sockets nor which packets arrived. ``coder``, ``frames``, ``motion``,
``rotation``, ``magnitude``, ``entity`` and ``body`` are kernels, driven by a ``plan``; ``head`` and ``packet`` make
payloads, ``carried`` has both ends of one receiver.
"""
