"""The pages on sessions are true: examples, settings, states and events are those of the code."""

import re
from dataclasses import fields
from pathlib import Path

from retick.link.addresses import MAX_ADDRESS
from retick.rollback import MatchConfig, PeerStats, Phase, SessionStats, events
from retick.rollback.session.messages.connect import VERSION, Want
from retick.rollback.session.messages.join import LARGEST_STATE
from retick.rollback.session.messages.kinds import ASK_SPONSOR, OTHER_VERSION, WORDS, MessageKind
from retick.rollback.session.messages.roster import MAX_PEERS, Reach, Roster, RosterEntry, decode_roster, encode_roster
from retick.rollback.session.peer import Role

REACH = Reach(12, 2)
DOCS = Path(__file__).parents[2] / "docs"
MESSAGES = (DOCS / "formats" / "session-messages.md").read_text(encoding="utf-8")
ROLLBACK = (DOCS / "guides" / "rollback-sessions.md").read_text(encoding="utf-8")


def test_the_example_is_the_roster_that_it_describes() -> None:
    members = (RosterEntry(0, (0,), "", reach=REACH), RosterEntry(1, (1,), ("10.0.0.2", 7778), reach=REACH))
    roster = Roster(1, bytes(range(1, 9)), 8.0, members)
    block = re.search(r"## Example.*?```\n(.*?)```", MESSAGES, re.DOTALL)
    assert block is not None
    shown = bytes.fromhex(block[1].replace("(32 times 00)", "00" * 32))
    assert shown == encode_roster(roster)
    assert decode_roster(shown) == roster


def test_the_kinds_the_bounds_and_the_requests_are_those_of_the_code() -> None:
    for kind in MessageKind:
        assert re.search(rf"^\| `{kind:02X}` \| {kind.name} \| .* to .* \|", MESSAGES, re.MULTILINE), kind
    assert f"`u8` count, 1 to {MAX_PEERS};" in MESSAGES
    assert f"| n, 0 to {MAX_ADDRESS} |" in MESSAGES
    assert f"at most 16 MiB ({LARGEST_STATE})" in MESSAGES
    assert f"| of the session protocol: `{VERSION:02X}` |" in MESSAGES
    for want in Want:
        assert f"| `{want:02X}` | {want.name} |" in MESSAGES
    for role in Role:
        assert f"| {role.name} |" in MESSAGES
    assert f"refused with reason {OTHER_VERSION};" in MESSAGES
    assert f"with reason {ASK_SPONSOR} and the sponsor's address" in MESSAGES
    for reason, words in WORDS.items():
        assert f"| {reason} | {words} |" in MESSAGES


def test_every_setting_is_on_the_page_with_its_default() -> None:
    for field in fields(MatchConfig):
        row = re.search(rf"^\| `{field.name}` \| ([\w.]+)", ROLLBACK, re.MULTILINE)
        assert row is not None, field.name
        assert row[1] == f"{field.default:g}" if not isinstance(field.default, bool) else row[1] == str(field.default)


def test_every_phase_and_every_event_of_a_session_is_on_the_page() -> None:
    for phase in Phase:
        assert f"| `{phase.name}` |" in ROLLBACK
    elsewhere = {"MatchEvent", "RosterPeer", "WatchingStarted", "SourceChanged"}
    for name in {
        name for name, kind in vars(events).items() if getattr(kind, "__module__", "") == events.__name__
    } - elsewhere:
        kind = getattr(events, name)
        row = re.search(rf"^\| `{name}\((.*?)\)` \|", ROLLBACK, re.MULTILINE)
        assert row is not None, name
        assert row[1].split(", ") == [field.name for field in fields(kind)], name


def test_every_statistic_has_its_row_on_the_page() -> None:
    section = ROLLBACK.partition("## Statistics")[2].partition("\n## ")[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    shown = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert shown == {field.name for kind in (SessionStats, PeerStats) for field in fields(kind)}
