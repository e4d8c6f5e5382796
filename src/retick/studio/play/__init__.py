"""The play room: a live match of two peers over a network that the page's sliders make bad.

It opens no recordings, and knows nothing of the other rooms.
"""
