"""The replay room: shows, verifies and compares recorded matches and desync bundles that the page sends.

It opens no link and no path that the page names, and knows nothing of the other rooms.
"""
