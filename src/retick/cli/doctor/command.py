"""``retick doctor``: looks at this network, and says what it means for online matches."""

from typing import Annotated

import typer

from retick.cli.doctor.diagnosis import Diagnosis
from retick.cli.doctor.examination import examine
from retick.cli.exit_codes import NO, UNKNOWN
from retick.cli.terminal import say, say_json, working
from retick.playing.home_router import outside_host
from retick.playing.relay_address import relay_address

__all__ = ["doctor"]


def doctor(
    relay: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Relay to ask: name, name:port or [IPv6]:port.",
            show_default="that of RETICK_RELAY",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON; null is not known.")] = False,
) -> None:
    """Find out what kind of network this is, and what it means for matches over the internet.

    Asks a relay from where it sees this machine, and the home router for its outside address. Takes some seconds.

    Exit code 0: online matches work from here. 1: the relay cannot be reached. 2: misuse. 3: no relay is configured.

    Example: retick doctor --relay relay.example.org
    """
    address = relay_address(relay)
    with working("asking the relay and the router"):
        diagnosis = Diagnosis(examine(address, outside_host))
    if as_json:
        say_json(diagnosis.values(), indent=2)
    else:
        lines = diagnosis.lines()
        width = max(len(line.title) for line in lines)
        say(*(f"{line.title:<{width}}  {line.words}" for line in lines), f"{'advice':<{width}}  {diagnosis.advice()}")
    if not diagnosis.is_reachable:
        raise typer.Exit(UNKNOWN if address is None else NO)
