"""``retick host``: the port that it listens on."""

from typer.testing import CliRunner

from retick.cli.app import app
from retick.transport import open_udp
from tests.cli.play.hosting import FAST

RUNNER = CliRunner()


def test_a_port_in_use_is_said_in_one_line_with_what_to_try() -> None:
    taken = open_udp("127.0.0.1")
    result = RUNNER.invoke(app, ["host", "--bind", "127.0.0.1", "--port", str(taken.address[1]), *FAST])
    taken.close()
    assert result.exit_code == 2
    assert "is in use: choose another" in result.stderr
