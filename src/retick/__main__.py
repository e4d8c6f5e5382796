"""``retick`` on the command line, and ``python -m retick``."""

import importlib.util
import sys

from retick.errors import RetickError, UsageError

__all__ = ["main"]


def main() -> None:
    """Run the command line: exit code 0 for yes, 1 for no, 2 for misuse."""
    missing = [name for name in ("typer", "rich") if importlib.util.find_spec(name) is None]
    if missing:
        print(
            f"retick: the command line needs {' and '.join(missing)}. Install with: pip install 'retick[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    from retick.cli.app import app

    try:
        app()
    except RetickError as error:
        print(f"retick: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, UsageError) else 1)


if __name__ == "__main__":
    main()
