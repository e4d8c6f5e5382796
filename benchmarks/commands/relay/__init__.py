"""``retick bench relay``: what a relay forwards, how long that takes, and what a flood of strangers leaves behind."""
