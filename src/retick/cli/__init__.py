"""The ``retick`` command: ``app`` lists the commands, ``exit_codes`` defines how they end.

A plain command is a module here (``audit``, ``desync``, ``packet``, ``synctest``); a larger one is a folder. Commands
parse arguments, call the library and print. Only a match played in a terminal (``play``) and its pictures (``draw``)
are more than that. The library never imports this package.
"""
