"""Every limit of a match, its links and its spectators, and what passes it.

A limit that no test ever passes is where the next surprise waits. Each row names the limit, how it is made small, and
the test or the cheat that passes it. ``OTHER_NUMBERS`` has the numbers of the same modules that are no limits. A test
reads all constants of ``rollback`` and ``link``, and fails when one of them is in neither table.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import retick
from retick.errors import UsageError

__all__ = ["LIMITS", "OTHER_NUMBERS", "Limit", "rendered"]


class Limit(NamedTuple):
    """One limit."""

    where: str
    """A module under ``retick``, a colon, and a constant, or a class and its field."""
    what: str
    """What is limited."""
    small: str
    """How it is made small in a test."""
    passed_by: str
    """A test, by file and name; or "cheat:" and the name of one, or "chaos" for ordinary seeded matches."""

    @property
    def value(self) -> Any:
        """Its value, or that of a new configuration."""
        module, _, path = self.where.partition(":")
        owner, _, field = path.partition(".")
        found: Any = import_module(f"retick.{module}")
        if field:
            return getattr(getattr(found, owner)(), field)
        return getattr(found, owner) if hasattr(found, owner) else _in_source(module, owner)


def _in_source(module: str, name: str) -> Any:
    """A constant that a compiled kernel has only for itself, from the Python source."""
    source = Path(retick.__file__).parent.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return ast.literal_eval(node.value)
    raise UsageError(f"there is no {name} in retick.{module}")


_ENGINE = "tests/rollback/engine/"
_DESYNC = "tests/rollback/desync/"
_SESSION = "tests/rollback/session/"
_LINK = "tests/link/"
_HERE = "tests/testing/test_limits.py::"
_CONFIG = "rollback.match.config:MatchConfig."
_BOUNDS = _DESYNC + "test_evidence.py::test_each_bound_is_checked_before_anything_is_read"
_PATCH = "the constant is replaced"
_SENT = "a message passes it"
_DRAWN = "drawn by chaos"

# fmt: off
LIMITS: tuple[Limit, ...] = (
    Limit(_CONFIG + "history", "frames that can be resimulated", _DRAWN, "chaos"),
    Limit(_CONFIG + "prediction_window", "frames ahead of the others' inputs", _DRAWN, "chaos"),
    Limit(_CONFIG + "max_spectators", "spectators of one peer", "MatchConfig(max_spectators=1)",
          _SESSION + "test_spectator_feed.py::test_a_spectator_that_leaves_makes_room"),
    Limit("rollback.engine.engine:INPUTS_REMEMBERED", "confirmed inputs that are kept", "a longer match",
          _ENGINE + "test_inputs.py::test_a_duplicate_older_than_what_is_remembered_is_fine"),
    Limit("rollback.engine.checks:LONGEST_HISTORY", "history of an engine", "an argument passes it",
          _ENGINE + "test_checks.py::test_settings_that_no_engine_can_have_are_named"),
    Limit("rollback.engine.checks:MOST_PLAYERS", "players of a game", "an argument passes it",
          _ENGINE + "test_checks.py::test_a_game_without_a_number_of_players_is_refused"),
    Limit("rollback.engine.checks:NEWEST_FRAME", "the last frame", "a start frame just before it",
          _ENGINE + "test_checks.py::test_settings_that_no_engine_can_have_are_named"),
    Limit("rollback.match.checksums:PAGES", "checksums kept of each side", "many claims",
          "tests/rollback/match/test_checksums.py::test_a_side_that_claims_without_end_fills_no_memory"),
    Limit("rollback.match.alarm:MOST_FALSE_ALARMS", "false alarms of one peer", "many false checksums",
          "cheat:false-checksums"),
    Limit("rollback.match.match:CATCH_UP_FROM", "frames behind that wait for the clock", "a pause", "chaos"),
    Limit("rollback.desync.evidence:MAX_CHECKSUMS", "checksums of a timeline", _SENT, _BOUNDS),
    Limit("rollback.desync.evidence:MAX_FIELDS", "fields of a state that are shown", _SENT,
          _DESYNC + "test_evidence.py::test_a_state_too_large_to_send_is_cut_and_says_so"),
    Limit("rollback.desync.evidence:MAX_STATE_BYTES", "bytes of a state's fields", _SENT,
          _DESYNC + "test_evidence.py::test_a_state_too_large_to_send_is_cut_and_says_so"),
    Limit("rollback.desync.evidence:MAX_INPUT_ROWS", "rows of inputs of a close-up", _SENT, _BOUNDS),
    Limit("rollback.desync.evidence:MAX_PLAYERS", "players of a close-up", _SENT, _BOUNDS),
    Limit("rollback.desync.evidence:PART_BYTES", "bytes of a part", _SENT, _BOUNDS),
    Limit("rollback.desync.evidence:MAX_PARTS", "parts of a close-up", _SENT, _BOUNDS),
    Limit("rollback.desync.investigation:MAX_CLOSEUPS", "close-ups of one peer", "many messages",
          "cheat:floods-evidence"),
    Limit("rollback.desync.investigation:NEWEST_UNASKED", "frames past the frontier", "frames far ahead",
          "cheat:floods-evidence"),
    Limit("rollback.desync.analysis:MAX_DIFFERENCES", "fields named in a report", "a state with more",
          _DESYNC + "test_analysis.py::test_a_report_names_a_bounded_number_of_fields"),
    Limit("rollback.desync.field_values:MAX_NAME", "bytes of a field's name", "a longer name",
          _DESYNC + "test_field_values.py::test_a_difference_beyond_the_cut_still_shows"),
    Limit("rollback.desync.field_values:MAX_TEXT", "bytes of a value as text", "a longer value",
          _DESYNC + "test_field_values.py::test_a_difference_beyond_the_cut_still_shows"),
    Limit("rollback.desync.field_values:MAX_INTEGER", "bytes of an integer", _SENT,
          _DESYNC + "test_field_values.py::test_bad_fields_are_refused"),
    Limit("rollback.session.core:MOST_UNREAD", "events that the application has not read", "events that nobody reads",
          _HERE + "test_unread_events_hold_messages_back_and_lose_none"),
    Limit("rollback.session.session:MOST_CALLS", "calls to a peer that does not answer", "a link that stays cut",
          _HERE + "test_a_peer_that_never_answers_is_called_three_times"),
    Limit("rollback.session.peer:LONG_MESSAGES_LIMIT", "bytes of long messages in a link", "messages past it",
          _SESSION + "test_peer.py::test_long_messages_stop_at_a_limit_and_a_short_one_still_goes_out"),
    Limit("rollback.session.peer:LAST_PEER_ID", "peer ids of a match", "the newest id is set to it",
          _HERE + "test_a_match_whose_ids_are_used_up_says_so"),
    Limit("rollback.session.spectator_feed:FEED_MOST", "frames of one message", _PATCH,
          _HERE + "test_a_spectator_gets_all_frames_in_messages_of_a_few"),
    Limit("rollback.session.spectator_feed:NOT_YET_PLAYED", "frames of a spectator ahead of us", "a request passes it",
          "cheat:watches-and-knocks"),
    Limit("rollback.spectate.spectator:MOST_WAITING", "frames that wait to be shown", _PATCH,
          "tests/rollback/spectate/test_spectator.py::test_frames_that_nobody_records_are_not_kept_for_ever"),
    Limit("rollback.session.joining.admit:MOST_EARLY_CALLS", "calls of peers that are not known yet", "many calls",
          _SESSION + "joining/test_admit.py::test_early_calls_wait_up_to_a_bound"),
    Limit("rollback.session.joining.sponsor:LONGEST_JOIN", "seconds of a join", "a newcomer that says nothing",
          _SESSION + "joining/test_sponsor.py::test_a_newcomer_that_never_reports_is_given_up_after_half_a_minute"),
    Limit("rollback.session.joining.lobby:MOST_REDIRECTIONS", "addresses that a joiner follows", _PATCH,
          _HERE + "test_a_joiner_that_is_sent_on_too_often_gives_up"),
    Limit("rollback.session.messages.roster:MAX_PEERS", "peers of a roster", _SENT,
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.roster:MAX_SEATS", "seats of a match", "a game with more",
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.roster:MAX_SEATS_EACH", "seats of one peer", "an argument passes it",
          _SESSION + "test_session.py::test_one_peer_of_several_plays_no_more_seats_than_a_packet_carries"),
    Limit("rollback.session.messages.roster:MAX_ADDRESS", "bytes of an address", _SENT,
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.drop:KNOWN_INPUTS", "inputs of a lost player in one DROP", _SENT,
          _SESSION + "messages/test_drop.py::test_a_drop_comes_back_as_it_was"),
    Limit("rollback.session.messages.state:LARGEST_STATE", "bytes of a state", _SENT,
          _SESSION + "test_state_transfer.py::test_a_header_beyond_the_bound_is_refused_before_any_chunk"),
    Limit("rollback.session.messages.join:LAST_WELCOME_FRAME", "the frame of a WELCOME", _SENT,
          _SESSION + "joining/test_lobby.py::test_a_welcome_at_any_frame_of_any_match_begins_it_or_ends_the_joining"),
    Limit("link.config:LinkConfig.max_connections", "connections of an endpoint", "LinkConfig(max_connections=1)",
          _LINK + "test_endpoint.py::test_a_dial_that_does_not_fit_is_refused_with_the_bound"),
    Limit("link.config:LinkConfig.max_datagram", "bytes of a datagram", "LinkConfig(max_datagram=576)",
          _LINK + "test_reliable.py::test_small_fragments_share_a_datagram_and_large_ones_do_not_exceed_the_room"),
    Limit("link.config:LinkConfig.max_message", "bytes of a message", "LinkConfig(max_message=...)",
          _LINK + "test_reliable.py::test_a_message_of_fragments_without_end_is_bounded"),
    Limit("link.config:LinkConfig.send_queue", "bytes of messages that wait", "LinkConfig(send_queue=...)",
          _LINK + "test_reliable.py::test_a_full_queue_says_no_and_says_when_it_is_free_again"),
    Limit("link.config:LinkConfig.payload_queue", "payloads that wait", "LinkConfig(payload_queue=...)",
          _LINK + "test_payload_path.py::test_queues_between_two_drains_are_bounded"),
    Limit("link.config:LinkConfig.unread_limit", "messages that nobody has read", "LinkConfig(unread_limit=...)",
          _LINK + "test_reliable.py::test_an_application_that_does_not_read_stops_the_sender_and_loses_nothing"),
    Limit("link.config:LinkConfig.handshake_rate", "answers to strangers a second", "LinkConfig(handshake_rate=...)",
          _LINK + "handshake/test_acceptor.py::test_answers_are_limited_in_number"),
    Limit("link.handshake.acceptor:_REMEMBERED", "closed handshakes that are remembered", _PATCH,
          _HERE + "test_only_the_newest_closed_handshakes_are_remembered"),
    Limit("link.handshake.dialler:MAX_HELLOS", "HELLOs without an answer", "an acceptor that restarts",
          _LINK + "handshake/test_dialler.py::test_the_acceptor_may_restart_with_another_secret_in_mid_handshake"),
    Limit("link.goodbye:MAX_BYES", "goodbyes without an answer", "a peer that is gone",
          _LINK + "test_goodbye.py::test_a_goodbye_that_nobody_answers_is_repeated_and_its_time_is_known"),
    Limit("link.layout:SEEN_WINDOW", "sequence numbers that are remembered", "many datagrams",
          _LINK + "test_sequences.py::test_the_window_takes_each_sequence_once_as_a_set_would"),
    Limit("link.layout:FRAGMENT_WINDOW", "fragments that are under way", "fragments far ahead",
          _LINK + "test_reliable.py::test_fragments_far_ahead_are_dropped_and_counted"),
    Limit("link.layout:MAX_APPLICATION_DATA", "bytes of a request's data", "an argument passes it",
          _LINK + "test_request.py::test_seats_and_data_that_do_not_fit_are_refused_with_the_bound"),
    Limit("link.layout:MAX_SEATS", "seats of an acceptance", "an argument passes it",
          _LINK + "test_request.py::test_seats_and_data_that_do_not_fit_are_refused_with_the_bound"),
    Limit("link.layout:MAX_SEATS_WANTED", "seats of a request", "an argument passes it",
          _LINK + "test_endpoint.py::test_a_dial_that_does_not_fit_is_refused_with_the_bound"),
)
# fmt: on
"""One row for each limit."""

_WIRE = "part of the wire format"
_TIME = "a time or an interval: what waits for it is bounded by another limit"
_TUNING = "a weight, a share or a rate"
_MARK = "a value that stands for something"

OTHER_NUMBERS: dict[str, str] = {
    "link.layout:*": _WIRE,
    "rollback.desync.evidence:TIMELINE": _WIRE,
    "rollback.desync.evidence:CLOSEUP": _WIRE,
    "rollback.desync.evidence:VERSION": _WIRE,
    "rollback.desync.evidence:NONE": _WIRE,
    "rollback.session.messages.connect:VERSION": _WIRE,
    "rollback.session.messages.connect:OTHER_VERSION": _WIRE,
    "rollback.session.messages.connect:FROM_A_STATE": _WIRE,
    "rollback.session.messages.roster:TOKEN_SIZE": _WIRE,
    "rollback.session.peer:HOST_ID": _MARK,
    "rollback.session.peer:SPECTATOR_ID": _MARK,
    "rollback.session.joining.sponsor:ASK_SPONSOR": _MARK,
    "rollback.session.joining.joins:PROMISE_SECONDS": _TIME,
    "rollback.session.joining.newcomer:LEVEL_SECONDS": _TIME,
    "rollback.session.session:ENDING_SECONDS": _TIME,
    "rollback.session.spectator_feed:FEED_EVERY": _TIME,
    "rollback.session.state_transfer:CHUNK": "bytes that are sent together",
    "rollback.desync.investigation:INPUTS_BEFORE": "rows of inputs that are shown, below MAX_INPUT_ROWS",
    "rollback.desync.investigation:INPUTS_AFTER": "rows of inputs that are shown, below MAX_INPUT_ROWS",
    "rollback.match.exchange:TIME_SYNC_EVERY": _WIRE,
    "rollback.match.exchange:FRAME_BITS": _WIRE,
    "rollback.match.exchange:ALL_BITS": _WIRE,
    "rollback.match.exchange:CHECKSUM_EVERY": _WIRE,
    "rollback.desync.field_values:INTEGER": _WIRE,
    "rollback.desync.field_values:FLOAT": _WIRE,
    "rollback.desync.field_values:TEXT": _WIRE,
    "rollback.match.match:NEVER": _MARK,
    "rollback.match.match:UNLIMITED": _MARK,
    "rollback.match.match:SAMPLE_EVERY": _TIME,
    "rollback.match.timesync:SMOOTHING": _TUNING,
    "rollback.match.timesync:FRAMES_TO_CORRECT": _TUNING,
    "rollback.match.timesync:TOLERATED": _TUNING,
    "rollback.lan:HELLO_EVERY_TICKS": _TIME,
    "rollback.lan:CALLER_KEPT": _TIME,
    "rollback.lan:SEED": _MARK,
    "link.address_proof:CHALLENGE_INTERVAL": _TIME,
    "link.connection:_ACK_DELAY": _TIME,
    "link.connection:_UNCONFIRMED_INTERVAL": _TIME,
    "link.connection:_BURST": _TUNING,
    "link.connection:_PACE": _TIME,
    "link.goodbye:LONGEST_WAIT": _TIME,
    "link.handshake.cookies:SLOT": _TIME,
    "link.handshake.dialler:FIRST_WAIT": _TIME,
    "link.handshake.dialler:LONGEST_WAIT": _TIME,
    "link.payload_path:_UNLIMITED": _MARK,
    "link.reliable:REORDER": _TUNING,
    "link.reliable:LONGEST_WAIT": _TIME,
    "link.reliable:FIRST_CONGESTION_WINDOW": _TUNING,
    "link.reliable:LEAST_CONGESTION_WINDOW": _TUNING,
    "link.reliable:SMALLEST_FRAGMENT": _TUNING,
    "link.sequences:_CONTROL_DELAY_UNIT": _TUNING,
    "rollback.match.config:MatchConfig.tick_rate": _TUNING,
    "rollback.match.config:MatchConfig.input_delay": _TUNING,
    "rollback.match.config:MatchConfig.checksum_interval": _TIME,
    "rollback.match.config:MatchConfig.resend_interval": _TIME,
    "rollback.match.config:MatchConfig.longest_catch_up": _TIME,
    "rollback.match.config:MatchConfig.most_slowing": _TUNING,
    "rollback.match.config:MatchConfig.disconnect_after": _TIME,
    "link.config:LinkConfig.game_version": _MARK,
    "link.config:LinkConfig.capabilities": _MARK,
    "link.config:LinkConfig.required": _MARK,
    "link.config:LinkConfig.tick_rate": _MARK,
    "link.config:LinkConfig.status_interval": _TIME,
    "link.config:LinkConfig.quiet_after": _TIME,
    "link.config:LinkConfig.timeout": _TIME,
    "link.config:LinkConfig.dial_timeout": _TIME,
    "link.config:LinkConfig.confirm_timeout": _TIME,
}
"""Numbers that are no limits, and why; "*" is for all others of the module that has nothing but a wire format."""


def rendered() -> str:
    """The table as it stands in docs/testing.md."""
    lines = ["| limit | of what | value | made small by | passed by |", "|---|---|---|---|---|"]
    for row in LIMITS:
        path = row.where.partition(":")[2]
        test = row.passed_by.rpartition("::")[2].replace("cheat:", "the cheat ")
        value = f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:g}"
        lines.append(f"| `{path}` | {row.what} | {value} | {row.small} | {test} |")
    return "\n".join(lines)
