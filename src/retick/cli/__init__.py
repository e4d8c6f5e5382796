"""The ``retick`` command: one module for each command, gathered in ``app``.

Commands parse, call the library and print; they hold no logic that a program would want to call.
"""
