"""One bot of ``retick bots``: its figures, and the table of all."""

from rich.console import Console

from retick.cli.bots import BotClient, BotLine, table_of
from retick.netrunner import ClientConfig
from retick.transport import Conditions

LINE = BotLine(
    bot=3, state="in", rtt_ms=121.4, pending=9, acks=59.7, corrections=0.25, largest=0.031, spikes=0,
    down=12345.6, up=2345.6, stalls=0,
)  # fmt: skip


def test_the_table_has_a_row_for_each_bot() -> None:
    console = Console(width=120, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as captured:
        console.print(table_of([LINE, LINE], "bots"))
    rows = [line for line in captured.get().splitlines() if "59.7" in line]
    assert len(rows) == 2
    assert all(word in rows[0] for word in ("in", "121", "9", "0.25", "0.031", "12,346", "2,346"))


def test_a_bot_that_never_got_in_did_not_do_well_and_has_no_rates() -> None:
    bot = BotClient(0, 1, ("127.0.0.1", 9), "", Conditions(), ClientConfig())
    try:
        line = bot.line()
        assert (line.state, line.acks, line.pending) == ("dialling", 0.0, 0)
        assert not bot.did_well
        bot.state, bot._ack = "in", 5
        assert bot.did_well
        bot.spikes = 1
        assert not bot.did_well
    finally:
        bot.wire.close()
