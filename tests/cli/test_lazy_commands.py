"""Commands are imported when they are used, and all of them can be."""

import subprocess
import sys

import typer

from retick.cli.app import LazyGroup, app

LOADED = "import sys, retick.cli.app; print(*(name for name in sys.modules if name.startswith('retick.cli.')))"


def test_no_command_is_imported_before_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        "retick.cli.app", "retick.cli.exit_codes", "retick.cli.terminal"
    }  # fmt: skip


def test_every_place_holds_a_command_of_that_name() -> None:
    def check(group: object) -> int:
        found = 0
        if isinstance(group, LazyGroup):
            for name, command in group.commands.items():
                assert command.name == name
                assert command.get_short_help_str()
                found += 1 + check(command)
        return found

    assert check(typer.main.get_command(app)) > 20
