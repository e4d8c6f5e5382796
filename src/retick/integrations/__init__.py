"""Retick inside of other libraries, one module or folder for each; each imports its library only when it is imported.

May import every package below the apps; none of them imports it.
"""
