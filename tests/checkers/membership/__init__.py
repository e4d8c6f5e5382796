"""The one agreement, searched: honest peers on the real code, liars that send anybody anything that they can sign.

Every state of three peers, and of four with two liars or a crash; plans from seeds for four and five. What is real,
what liars may say and what is left out is in docs/internals/membership-search.md.
"""
