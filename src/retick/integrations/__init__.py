"""Retick inside other libraries: one module or folder for each, which imports its library only when it is imported.

May import every package below the apps; none of them imports it.
"""
