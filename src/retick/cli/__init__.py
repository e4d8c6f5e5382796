"""The ``retick`` command: ``app`` lists the commands, ``exit_codes`` holds the one rule by which they end.

A plain command is a module here (``audit``, ``desync``, ``packet``, ``synctest``); a larger one is a room. Commands
parse arguments, call the library and print. What is more than that is in the rooms: a match played in a terminal
(``play``), its pictures (``draw``), and what the benchmarks measure (``bench``). The library never imports this
package.
"""
