"""Random programs of declared worlds, run by several builds of Retick: all must tell the same story.

The generator knows how worlds are declared and used, and nothing of how they are stored.
"""
