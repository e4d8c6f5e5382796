"""``retick bench relay`` as a script."""

import sys

from retick.cli.app import app

if __name__ == "__main__":
    app(["bench", "relay", *sys.argv[1:]])
