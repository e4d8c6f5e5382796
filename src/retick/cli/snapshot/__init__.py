"""``retick snapshot``: what deltas cost, and priors and predictors that make them cost less.

``sources`` reads traces and folders of packets, ``scoring`` sends them to a receiver that acknowledges late, and
``fitting`` searches for damping and acceleration. ``retick bench snapshot --trace`` measures with the same parts.
"""
