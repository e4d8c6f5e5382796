"""The ``retick`` command: ``app`` lists the commands, ``exit_codes`` defines how they end.

A plain command is a module; a larger one is a folder: ``demo``, ``play``, ``replay``; ``draw`` has the pictures.
Commands parse arguments, call the library and print; only ``play`` and ``draw`` do more. The library never imports this
package.
"""
