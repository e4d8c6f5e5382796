"""``retick bench agents`` as a script."""

import sys

from retick.cli.app import app

if __name__ == "__main__":
    app(["bench", "agents", *sys.argv[1:]])
