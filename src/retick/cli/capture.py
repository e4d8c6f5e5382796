"""``retick capture``: captures for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.arguments import BudgetOption, raisable, read_limits
from retick.cli.exit_codes import NO, named
from retick.cli.play.files import check_new_file
from retick.cli.terminal import count, say
from retick.errors import DecodeError
from retick.packets.pcapng import Exporter, parse_place
from retick.replay.storage import naming, read_bounded
from retick.transport.capture import read_capture

capture_app = typer.Typer(name="capture", no_args_is_help=True, help="Turn captures into files of other programs.")


@capture_app.callback()
def capture() -> None:
    """Turn captures into files of other programs."""


@capture_app.command()
def export(
    source: Annotated[Path, typer.Argument(metavar="CAPTURE", help="A capture, as --capture writes it.")],
    pcapng: Annotated[
        Path,
        typer.Option("--pcapng", metavar="FILE", help="The new file, for Wireshark and tshark.", show_default=False),
    ],
    local: Annotated[
        str | None,
        typer.Option(
            metavar="IP:PORT",
            help="Address of the side that captured; the capture does not have it.",
            show_default="192.0.2.1:7777 or [2001:db8::1]:7777",
        ),
    ] = None,
    budget: BudgetOption = None,
) -> None:
    """Write a capture as pcapng: every datagram with its time and direction, and with IP and UDP headers.

    Times count from the first datagram. Exit code 0: written. 1: the capture is damaged; everything before the fault
    is written. 2: misuse, or a file that cannot be opened.

    Example: retick capture export match.rtkc --pcapng match.pcapng
    """
    exporter = Exporter(None if local is None else parse_place(local))
    check_new_file(pcapng)
    with raisable(), named(source):
        data = bytes(read_bounded(source, read_limits(budget)))
    records = read_capture(data)
    fault = None
    part = pcapng.with_name(f"{pcapng.name}.part")
    try:
        with naming(pcapng), part.open("xb") as file:
            try:
                for block in exporter.blocks(records):
                    file.write(block)
            except DecodeError as error:
                fault = error
        if fault is None or exporter.written:
            part.replace(pcapng)
    finally:
        part.unlink(missing_ok=True)
    if fault is None or exporter.written:
        say(f"{count(exporter.written, 'datagram')} in {pcapng}; the dissector: retick export wireshark > retick.lua")
    if exporter.left_out:
        say(f"{count(exporter.left_out, 'datagram')} left out: too long for UDP")
    if fault is not None:
        say(f"{source}: the capture ends here: {fault}", err=True)
        raise typer.Exit(NO)
