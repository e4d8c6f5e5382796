"""Reference games that prove the contract and carry the tests, the demos and the benchmarks.

They know only sim, wire and errors, and nothing of networks, engines or files.
"""
