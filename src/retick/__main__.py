"""Entry point of the ``retick`` command and of ``python -m retick``."""

import importlib.util
import os
import sys

from retick._safe_path import keep_out_working_directory


def main() -> None:
    """Run the command line; ``retick.cli.exit_codes`` lists the exit codes."""
    keep_out_working_directory()
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a game may import pygame, whose greeting is not ours
    missing = [name for name in ("typer", "rich") if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"retick: the command line needs {' and '.join(missing)}: pip install {' '.join(missing)}",
            file=sys.stderr,
        )
        sys.exit(2)
    from retick.cli.exit_codes import exits

    with exits():  # here too: Ctrl-C may come while the commands are imported
        from retick.cli.app import app

        app(prog_name="retick")


if __name__ == "__main__":
    main()
