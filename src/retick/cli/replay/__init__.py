"""The command replay and its subcommands, each in a module of its own."""
