"""Every limit of a match, its links, spectators, join tokens, relays and compact snapshots, and what passes it.

A limit that no test ever passes is where the next surprise waits. Each row names the limit, how it is made small, and
the test or the cheat that passes it. ``other_numbers`` has the numbers of the same modules that are no limits. A test
reads all constants of ``rollback``, ``link``, ``tokens`` and ``relay``, and fails when one is in neither table.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import retick
from retick.errors import UsageError

__all__ = ["LIMITS", "Limit", "rendered"]


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
_MATCH = "tests/rollback/match/"
_EXCHANGE = _MATCH + "test_exchange.py::"
_DESYNC = "tests/rollback/desync/"
_SESSION = "tests/rollback/session/"
_JOINING = _SESSION + "joining/"
_SPONSOR = _JOINING + "test_sponsor.py::"
_LOBBY = _JOINING + "test_lobby.py::"
_SIGNING = _SESSION + "signing/test_signed_ranges.py::"
_PAUSE = _SESSION + "pausing/test_pause.py::"
_RETURNS = _SESSION + "identity/test_returns.py::"
_RECONNECT = _SESSION + "identity/test_reconnect.py::"
_LINK = "tests/link/"
_DOOR = _LINK + "handshake/test_door.py::"
_TOKENS = "tests/tokens/"
_RELAY = "tests/relay/test_server.py::"
_MEMBER = "tests/relay/test_member.py::"
_HERE = "tests/testing/test_limits.py::"
_COMPACT = "tests/snapshot/compact/"
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
    Limit(_CONFIG + "inputs_remembered", "frames of inputs that are kept", "MatchConfig(inputs_remembered=160)",
          _EXCHANGE + "test_of_inputs_that_were_never_acknowledged_the_oldest_that_are_remembered_are_sent"),
    Limit("rollback.match.config:LEAST_REMEMBERED", "the least of it beside two histories", "an argument passes it",
          _MATCH + "test_match.py::test_a_configuration_that_cannot_work_is_refused"),
    Limit(_CONFIG + "max_backlog", "frames of our inputs without acknowledgement", "MatchConfig(max_backlog=32)",
          _SESSION + "test_input_bounds.py::test_one_who_acknowledges_nothing_is_expelled_with_a_reason_of_its_own"),
    Limit(_CONFIG + "input_timeout", "seconds of waiting for a peer's inputs", "MatchConfig(input_timeout=1.0)",
          _SESSION + "test_input_bounds.py::test_the_silent_one_learns_why"),
    Limit("rollback.engine.checks:LONGEST_HISTORY", "history of an engine", "an argument passes it",
          _ENGINE + "test_checks.py::test_settings_that_no_engine_can_have_are_named"),
    Limit("rollback.engine.checks:MOST_PLAYERS", "players of a game", "an argument passes it",
          _ENGINE + "test_checks.py::test_a_game_without_a_number_of_players_is_refused"),
    Limit("rollback.engine.checks:NEWEST_FRAME", "the last frame", "a start frame just before it",
          _ENGINE + "test_checks.py::test_settings_that_no_engine_can_have_are_named"),
    Limit("rollback.match.checksums:PAGES", "checksums kept of each side", "many claims",
          _MATCH + "test_checksums.py::test_a_side_that_claims_without_end_fills_no_memory"),
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
    Limit("rollback.session.desync_part:MOST_REFUSED", "messages of a peer that are no evidence", "many messages",
          _SESSION + "test_desync_part.py::test_a_peer_that_goes_on_with_nonsense_is_expelled"),
    Limit("rollback.session.drops:AGREE_SECONDS", "seconds for the same word on who is lost", "a peer that disagrees",
          _SESSION + "test_drops.py::test_a_survivor_that_does_not_agree_is_expelled_and_the_others_play_on"),
    Limit("rollback.session.drops:MOST_AHEAD", "frames ahead of us of inputs that a DROP claims", _SENT,
          _SESSION + "test_drops.py::test_a_drop_that_claims_inputs_of_next_year_shows_its_sender_out"),
    Limit("rollback.session.drops:QUEUE_SECONDS", "more seconds while a long message is sent", "a state on a bad link",
          _SESSION + "test_state_transfer.py::test_word_of_the_lost_gets_through_while_a_large_state_fills_the_links"),
    Limit("rollback.session.drops:LONGEST_STEP", "seconds of lateness that count at once", "a look long after",
          _HERE + "test_of_a_long_sleep_only_a_step_counts_as_late"),
    Limit("rollback.session.forwarding:MOST_RESYNCED", "RESYNCED of one peer that are passed on", _PATCH,
          _HERE + "test_of_one_peer_that_is_not_heard_a_few_resynced_are_used"),
    Limit("rollback.session.input_bounds:LONGEST_STEP", "seconds of waiting that count at once", "a look long after",
          _HERE + "test_of_a_long_sleep_only_a_step_counts_as_waiting_for_others"),
    Limit("rollback.session.input_bounds:DECIDING_SECONDS", "seconds of waiting after a desync", "a long wait",
          _SESSION + "test_input_bounds.py::test_after_a_reported_desync_people_have_time_to_agree"),
    Limit("rollback.session.input_forwarding:ANSWER_SECONDS", "seconds for the answer to a WANT", "a late answer",
          _HERE + "test_an_answer_that_comes_too_late_is_not_used"),
    Limit("rollback.session.input_forwarding:HOLD_SECONDS", "seconds for inputs that must be passed on",
          "a peer that passes on nothing",
          _SESSION + "test_input_forwarding.py::test_who_says_that_it_hears_a_peer_and_passes_nothing_on_is_expelled"),
    Limit("rollback.session.input_forwarding:WITHHELD_SECONDS", "seconds for a DROP that others have",
          "one that withholds it", "cheat:withholds-drop-from-one"),
    Limit("rollback.session.input_bounds:NEWCOMER_SECONDS", "seconds more that a newcomer blames nobody",
          "players that are held", "cheat:no-inputs"),
    Limit("rollback.session.joining.newcomer:LONGEST_DOUBT", "seconds until all have acknowledged a newcomer's inputs",
          "one that acknowledges none", "cheat:withholds-acknowledgements"),
    Limit("rollback.session.peer:LONG_MESSAGES_LIMIT", "bytes of long messages in a link", "messages past it",
          _SESSION + "test_peer.py::test_long_messages_stop_at_a_limit_and_a_short_one_still_goes_out"),
    Limit("rollback.session.peer:LAST_PEER_ID", "peer ids, which are given again", _PATCH,
          _SPONSOR + "test_ids_are_given_again_and_a_match_stays_open_to_newcomers"),
    Limit("rollback.session.spectator_feed:FEED_MOST", "frames of one message", _PATCH,
          _HERE + "test_a_spectator_gets_all_frames_in_messages_of_a_few"),
    Limit("rollback.session.spectator_feed:NOT_YET_PLAYED", "frames of a spectator ahead of us", "a request passes it",
          "cheat:watches-and-knocks"),
    Limit("rollback.session.spectator_feed:SHARED_FRAMES", "age of a state that spectators share", _PATCH,
          _SESSION + "test_spectator_feed.py::test_states_for_spectators_are_limited_and_one_who_needs_another_waits"),
    Limit("rollback.session.spectator_feed:MOST_STATES", "states that are held for spectators", "many spectators",
          _SESSION + "test_spectator_feed.py::test_states_for_spectators_are_limited_and_one_who_needs_another_waits"),
    Limit("rollback.spectate.spectator:MOST_WAITING", "frames that wait to be shown", _PATCH,
          "tests/rollback/spectate/test_spectator.py::test_frames_that_nobody_records_are_not_kept_for_ever"),
    Limit("rollback.spectate.spectator:MOST_UNREAD", "events that a spectator's application has not read",
          "events that nobody reads",
          "tests/rollback/spectate/test_spectator.py::test_messages_that_a_spectator_does_not_read_wait_and_none_is_lost"),
    Limit("rollback.match.config:MatchConfig.longest_pause", "seconds for which one peer keeps a match paused",
          "MatchConfig(longest_pause=...)", _PAUSE + "test_one_that_never_resumes_is_not_waited_for_for_ever"),
    Limit("rollback.session.signing.signed_ranges:LONGEST_LATE", "seconds for which no input is signed",
          "a peer that signs nothing", _SIGNING + "test_one_that_signs_nothing_is_left"),
    Limit("rollback.session.signing.signed_ranges:MOST_SHOWN", "ranges of others that one peer shows", _PATCH,
          _SIGNING + "test_more_ranges_of_others_than_may_be_shown_expel_their_sender"),
    Limit("rollback.session.signing.book:MOST_HELD", "signed ranges that wait for their inputs", _SENT,
          _SIGNING + "test_more_ranges_than_may_wait_expel_their_sender"),
    Limit("rollback.session.signing.book:KEPT", "signed ranges of a peer that are compared", "many ranges",
          _SESSION + "signing/test_book.py::test_only_the_newest_are_kept"),
    Limit("rollback.desync.equivocation:MOST_INPUT_BYTES", "bytes of a range that is shown", _SENT,
          _SESSION + "messages/test_ranges.py::test_inputs_that_are_too_long_or_no_whole_frames_are_refused"),
    Limit("rollback.session.pausing.pause:MOST_PAUSES", "pauses in one match", _PATCH,
          _PAUSE + "test_a_match_can_be_paused_only_so_often"),
    Limit("rollback.session.pausing.pause:ANSWER_SECONDS", "seconds to say where one stops", "a peer that does not",
          _PAUSE + "test_a_peer_that_does_not_answer_holds_up_nobody"),
    Limit("rollback.session.pausing.pause:MOST_AHEAD", "frames by which a stop may lie ahead", _SENT,
          _PAUSE + "test_a_pause_far_ahead_expels_its_sender"),
    Limit(_CONFIG + "longest_reconnect", "seconds of trying to come back", "MatchConfig(longest_reconnect=3.0)",
          _RECONNECT + "test_when_nobody_is_found_the_match_ends_after_the_time_of_the_setting"),
    Limit("rollback.session.identity.reconnect:MOST_ASKED", "addresses of lost peers that are asked", _PATCH,
          _RECONNECT + "test_no_more_addresses_are_remembered_than_the_bound"),
    Limit("rollback.session.identity.reconnect:DIAL_SECONDS", "seconds in which one of them must answer",
          "nobody answers", _RECONNECT + "test_when_nobody_is_found_the_match_ends_after_the_time_of_the_setting"),
    Limit("rollback.session.identity.reconnect:ANSWER_SECONDS", "seconds in which it must let us in after that",
          "a peer that says nothing", _RECONNECT + "test_one_that_accepts_us_and_says_nothing_is_given_up"),
    Limit("rollback.session.identity.returns:MOST_RETURNING", "peers that wait for the seats they held", _PATCH,
          _RETURNS + "test_no_more_come_back_at_a_time_than_the_bound"),
    Limit("rollback.session.identity.returns:LONGEST_RETURN", "seconds of waiting for the seats one held",
          "a player that does not let go", _RETURNS + "test_one_whose_seat_is_not_let_go_of_is_told_to_try_again"),
    Limit("rollback.session.messages.profile:MAX_NAME", "bytes of a name", "an argument passes it",
          _SESSION + "messages/test_profile.py::test_names_and_profiles_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.profile:MAX_PROFILE", "bytes of a profile", "an argument passes it",
          _SESSION + "messages/test_profile.py::test_names_and_profiles_past_their_bounds_are_refused"),
    Limit("rollback.session.joining.admit:MOST_EARLY_CALLS", "calls of peers that are not known yet", "many calls",
          _JOINING + "test_admit.py::test_early_calls_wait_up_to_a_bound"),
    Limit("rollback.session.joining.admit:EARLY_SECONDS", "seconds that such a call waits", "a call of nobody",
          _JOINING + "test_admit.py::test_an_early_call_that_nobody_claims_is_closed"),
    Limit("rollback.session.joining.joins:COMMIT_SECONDS", "seconds for the answer to a PROMISE",
          "a sponsor that does not answer",
          _SPONSOR + "test_a_sponsor_that_answers_no_promise_is_expelled_by_those_that_wait"),
    Limit("rollback.session.joining.joins:COMMITS_TOGETHER", "seconds of such waiting in one match", _PATCH,
          _HERE + "test_a_sponsor_that_lets_others_wait_again_and_again_is_expelled"),
    Limit("rollback.session.joining.joins:ORPHAN_SECONDS", "seconds to hear of a COMMIT from others",
          "others that say nothing", _HERE + "test_a_promise_of_which_nobody_says_more_is_called_off"),
    Limit("rollback.session.joining.newcomer:LONGEST_WAIT", "seconds of a newcomer's own waiting",
          "a sponsor that sends no state",
          _LOBBY + "test_a_sponsor_that_sends_no_state_is_left_after_a_while"),
    Limit("rollback.session.joining.sponsor:LONGEST_STANDSTILL", "seconds without progress of a newcomer",
          "a newcomer that does nothing",
          _SPONSOR + "test_a_newcomer_that_makes_no_progress_frees_the_place_and_others_come_first"),
    Limit("rollback.session.joining.sponsor:LONGEST_PROMISE", "seconds for the answer to a PROPOSE",
          "a player that does not answer",
          _SPONSOR + "test_a_player_that_promises_nothing_keeps_a_newcomer_out_and_holds_up_nobody"),
    Limit("rollback.session.joining.joins:MOST_UNANSWERED", "promises without COMMIT that excuse silence",
          "promises for nobody", _HERE + "test_promises_for_nobody_excuse_silence_only_a_few_times"),
    Limit("rollback.session.joining.sponsor:MOST_UNPROMISED", "newcomers kept out by one player's silence",
          "a player that never answers",
          _HERE + "test_a_player_that_promises_nothing_again_and_again_is_expelled"),
    Limit("rollback.session.joining.sponsor:PROBATION", "seconds in which a newcomer must not be waited for and lost",
          "a newcomer that falls silent", _SPONSOR + "test_whoever_comes_in_and_falls_silent_waits_longer_each_time"),
    Limit("rollback.session.joining.held_off:LONGEST_WAIT", "seconds for which an address is refused",
          "many newcomers from one address", _JOINING + "test_held_off.py::test_each_wait_is_twice_the_one_before"),
    Limit("rollback.session.joining.held_off:MOST_HELD_OFF", "addresses that are refused for a while", _PATCH,
          _JOINING + "test_held_off.py::test_only_so_many_addresses_are_remembered"),
    Limit("rollback.session.joining.sponsor:LONGEST_JOIN", "seconds of a join", "a newcomer that says nothing",
          _SPONSOR + "test_a_newcomer_that_never_reports_is_given_up_after_half_a_minute"),
    Limit("rollback.session.joining.lobby:MOST_REDIRECTIONS", "addresses that a joiner follows", _PATCH,
          _HERE + "test_a_joiner_that_is_sent_on_too_often_gives_up"),
    Limit("rollback.session.joining.lobby:MOST_EARLY", "messages that wait for START", "many messages",
          _SESSION + "test_forwarding.py::test_no_more_messages_than_a_few_wait_for_a_start"),
    Limit("rollback.session.joining.lobby:LONGEST_EARLY", "bytes of one of them", _SENT,
          _SESSION + "test_forwarding.py::test_no_more_messages_than_a_few_wait_for_a_start"),
    Limit("rollback.session.joining.lobby:MOST_ROSTERS", "rosters that a joiner accepts", "many rosters",
          _LOBBY + "test_a_host_that_sends_one_roster_after_the_other_is_left"),
    Limit("rollback.session.joining.lobby:LINKING_SECONDS", "seconds of connecting to all others",
          "a link that stays cut",
          _LOBBY + "test_two_joiners_that_cannot_reach_each_other_are_named_and_the_one_that_called_leaves"),
    Limit("rollback.session.joining.lobby:GRACE", "seconds more for READY and START", "a joiner that is never ready",
          _LOBBY + "test_a_joiner_that_is_never_ready_is_dropped_and_the_others_keep_their_places"),
    Limit("rollback.session.messages.roster:MAX_PEERS", "peers of a roster", _SENT,
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.roster:MAX_SEATS", "seats of a match", "a game with more",
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.roster:MAX_SEATS_EACH", "seats of one peer", "an argument passes it",
          _SESSION + "test_session.py::test_one_peer_of_several_plays_no_more_seats_than_a_packet_carries"),
    Limit("rollback.session.messages.addresses:MAX_ADDRESS", "bytes of an address", _SENT,
          _HERE + "test_rosters_past_their_bounds_are_refused"),
    Limit("rollback.session.messages.connect:LARGEST_REACH", "frames of a window or delay that is announced",
          "an argument passes it",
          _SESSION + "test_link_config.py::test_settings_with_which_nobody_could_play_are_refused_at_once"),
    Limit("rollback.session.messages.forward:MOST_PASSED", "frames of inputs in one PASS", _SENT,
          _SESSION + "messages/test_forward.py::test_a_pass_has_one_to_thirty_two_inputs"),
    Limit("rollback.session.messages.drop:LARGEST_DROP", "bytes of a DROP", _SENT,
          _SESSION + "messages/test_drop.py::test_a_drop_that_names_a_player_twice_or_is_too_long_is_refused"),
    Limit("rollback.session.messages.drop:KNOWN_INPUTS", "inputs of a lost player in one DROP", _SENT,
          _SESSION + "messages/test_drop.py::test_a_drop_comes_back_as_it_was"),
    Limit("rollback.session.messages.state:LARGEST_STATE", "bytes of a state", _SENT,
          _SESSION + "test_state_transfer.py::test_a_header_beyond_the_bound_is_refused_before_any_chunk"),
    Limit("rollback.session.messages.join:LAST_WELCOME_FRAME", "the frame of a WELCOME", _SENT,
          _LOBBY + "test_a_welcome_at_any_frame_of_any_match_begins_it_or_ends_the_joining"),
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
          _HERE + "test_strangers_together_get_no_more_answers_than_the_rate"),
    Limit("link.config:LinkConfig.handshake_rate_per_address", "the same for one address",
          "LinkConfig(handshake_rate_per_address=...)",
          _DOOR + "test_a_flood_of_good_cookies_from_one_address_leaves_the_others_their_budget"),
    Limit("link.config:LinkConfig.max_unconfirmed_per_address", "connections of one address without a word",
          "many requests", _DOOR + "test_unconfirmed_hellos_of_one_address_do_not_hold_all_connections"),
    Limit("link.config:LinkConfig.max_connections_per_address", "connections of one address",
          "LinkConfig(max_connections_per_address=1)",
          _DOOR + "test_a_seat_behind_the_router_is_free_again_when_its_connection_ends"),
    Limit("link.handshake.acceptor:_ANSWERS_WAITING", "answers to strangers that wait", _PATCH,
          _DOOR + "test_answers_that_wait_to_be_sent_are_limited"),
    Limit("link.handshake.acceptor:_REMEMBERED", "closed handshakes that are remembered", _PATCH,
          _DOOR + "test_full_tables_forget_the_oldest"),
    Limit("link.handshake.door:_ORIGINS_KEPT", "addresses whose budget is remembered", _PATCH,
          _DOOR + "test_full_tables_forget_the_oldest"),
    Limit("link.handshake.door:_BANS_KEPT", "addresses, and keys, that are banned", _PATCH,
          _DOOR + "test_full_tables_forget_the_oldest"),
    Limit("link.handshake.refusals:MOST_TEXTS", "texts of refusals that are counted apart", _PATCH,
          _LINK + "handshake/test_refusals.py::test_texts_past_the_limit_are_counted_together"),
    Limit("link.handshake.dialler:MOST_UNANSWERED", "requests to addresses that nobody answers at", "many dials",
          _LINK + "handshake/test_dialler.py::test_all_addresses_that_were_only_heard_of_share_one_budget"),
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
    Limit("link.layout:KEY_LIMIT", "datagrams under one key", "a count that is set near it",
          _LINK + "test_sealed_path.py::test_a_key_that_has_sealed_enough_ends_the_link_in_words"),
    Limit("link.layout:MAX_TOKEN", "bytes of a token", "an argument passes it",
          _LINK + "test_endpoint.py::test_a_dial_that_does_not_fit_is_refused_with_the_bound"),
    Limit("link.sealing.invite:LONGEST_ADDRESS", "characters of an invite's address", "an argument passes it",
          _LINK + "sealing/test_invite.py::test_an_address_past_its_length_is_refused"),
    Limit("link.sealing.keylog:MOST_LINES", "lines of a key log", _PATCH,
          _LINK + "sealing/test_keylog.py::test_a_log_without_end_is_not_read"),
    Limit("link.sealing.keylog:MOST_TURNS", "turns of the sequence that a key log tries", _PATCH,
          _LINK + "sealing/test_keylog.py::test_a_datagram_past_the_turns_that_are_tried_stays_sealed"),
    Limit("tokens.layout:MOST_TOKEN", "bytes of a join token", "an argument passes it",
          _TOKENS + "test_codec.py::test_what_does_not_fit_into_a_token_is_named"),
    Limit("tokens.layout:MOST_ADDRESSES", "addresses of a join token", "an argument passes it",
          _TOKENS + "test_codec.py::test_what_does_not_fit_into_a_token_is_named"),
    Limit("tokens.layout:LONGEST_HOST", "characters of a host in a join token", "an argument passes it",
          _TOKENS + "test_codec.py::test_a_host_that_is_too_long_is_none"),
    Limit("tokens.layout:LONGEST_ROOM", "bytes of a room in a join token", "an argument passes it",
          _TOKENS + "test_codec.py::test_what_does_not_fit_into_a_token_is_named"),
    Limit("tokens.layout:MOST_DATA", "bytes of the application in a join token", "an argument passes it",
          _TOKENS + "test_codec.py::test_what_does_not_fit_into_a_token_is_named"),
    Limit("tokens.layout:MOST_USED", "used join tokens that a server remembers", "Tokens(most_used=2)",
          _TOKENS + "test_admission.py::test_used_tokens_are_remembered_until_they_have_expired_and_no_longer"),
    Limit("link.layout:MAX_SEATS", "seats of an acceptance", "an argument passes it",
          _LINK + "test_request.py::test_seats_and_data_that_do_not_fit_are_refused_with_the_bound"),
    Limit("link.layout:MAX_SEATS_WANTED", "seats of a request", "an argument passes it",
          _LINK + "test_endpoint.py::test_a_dial_that_does_not_fit_is_refused_with_the_bound"),
    Limit("relay.config:RelayConfig.rooms", "rooms of a relay", "RelayConfig(rooms=3)",
          _RELAY + "test_rooms_and_members_are_limited"),
    Limit("relay.config:RelayConfig.rooms_per_address", "of these, of one address", "RelayConfig(rooms_per_address=2)",
          _RELAY + "test_rooms_and_members_are_limited"),
    Limit("relay.config:RelayConfig.members", "members of all rooms of a relay", "RelayConfig(members=4)",
          _RELAY + "test_rooms_and_members_are_limited"),
    Limit("relay.config:RelayConfig.member_bytes", "bytes a second of a member", "RelayConfig(member_bytes=1280)",
          _RELAY + "test_a_member_may_send_so_many_bytes_a_second_and_the_relay_so_many_in_all"),
    Limit("relay.config:RelayConfig.total_bytes", "bytes a second of a relay", "RelayConfig(total_bytes=1280)",
          _RELAY + "test_a_member_may_send_so_many_bytes_a_second_and_the_relay_so_many_in_all"),
    Limit("relay.config:RelayConfig.wrong_codes", "wrong codes of one address at once", "many wrong codes",
          _RELAY + "test_wrong_codes_are_limited_and_then_the_right_one_does_not_help_either"),
    Limit("relay.config:RelayConfig.wrong_codes_a_second", "wrong codes a second of all addresses",
          "RelayConfig(wrong_codes_a_second=25)",
          "tests/relay/test_guesses.py::test_all_together_have_a_limit_that_comes_back"),
    Limit("relay.config:RelayConfig.answers", "answers a second to strangers", "RelayConfig(answers=20)",
          _RELAY + "test_answers_to_strangers_are_limited_and_members_are_not"),
    Limit("relay.config:RelayConfig.code_seconds", "seconds of a code that nobody uses", "a long wait",
          _RELAY + "test_a_code_expires_unless_somebody_has_joined"),
    Limit("relay.config:RelayConfig.idle_seconds", "seconds of silence of a member", "a member that is silent",
          _RELAY + "test_members_that_are_silent_for_half_a_minute_are_gone_and_so_is_an_empty_room"),
    Limit("relay.config:RelayConfig.ticket_seconds", "seconds of a ticket", "RelayConfig(ticket_seconds=4.0)",
          "tests/relay/test_member.py::test_a_ticket_that_the_relay_does_not_know_ends_the_stay"),
    Limit("relay.guesses:ORIGINS_KEPT", "addresses whose wrong codes are remembered", _PATCH,
          "tests/relay/test_guesses.py::test_only_so_many_addresses_are_remembered"),
    Limit("relay.hall:MOST_UNREAD", "events of a relay that nobody has read", _PATCH,
          _RELAY + "test_events_that_nobody_reads_are_limited"),
    Limit("relay.server:MOST_CHANNELS", "channels in the table of frames", _PATCH,
          _RELAY + "test_the_table_of_channels_begins_anew_when_it_is_full"),
    Limit("relay.server:MOST_WAITING", "answers of a relay that wait", _PATCH,
          _RELAY + "test_answers_to_strangers_are_limited_and_members_are_not"),
    Limit("relay.member:MOST_TRIES", "requests to come in without an answer", "a relay that is down",
          _MEMBER + "test_a_relay_that_does_not_answer_is_given_up_in_words"),
    Limit("relay.member:MOST_GOODBYES", "requests to leave without an answer", "a relay that is down",
          _MEMBER + "test_leaving_ends_although_the_relay_is_dead"),
    Limit("relay.member:MOST_UNREAD", "frames that a member's application has not read", _PATCH,
          _MEMBER + "test_frames_that_nobody_reads_are_limited"),
    Limit("relay.reflection:MOST_TRIES", "questions to a relay without an answer", "a relay that is down",
          "tests/relay/test_reflection.py::test_a_relay_that_cannot_be_reached_leaves_the_result_empty"),
    Limit("snapshot.compact.numbers:FRAMES", "history frames of a compact delta", "an argument passes it",
          _COMPACT + "test_packet.py::test_history_that_no_packet_can_name_is_refused"),
    Limit("snapshot.compact.numbers:OLDEST", "ticks from a baseline to its history", "an argument passes it",
          _COMPACT + "test_packet.py::test_history_that_no_packet_can_name_is_refused"),
    Limit("snapshot.compact.packet:MOST_FACTORS", "spacings of frames whose factors are kept", _PATCH,
          _COMPACT + "test_packet.py::test_spacings_of_frames_fill_no_memory"),
    Limit("snapshot.compact.defaults:WIDEST", "bits of a field that may move", "a wider field",
          _COMPACT + "test_defaults.py::test_a_group_that_does_not_fit_is_refused"),
    Limit("snapshot.compact.statistics:MOST_OWN", "own models and weights of a prior", "a prior that unpacks to more",
          _COMPACT + "test_statistics.py::test_a_prior_that_unpacks_without_end_is_refused"),
)
# fmt: on
"""One row for each limit."""


def rendered() -> str:
    """The table as it stands in docs/testing.md."""
    lines = ["| limit | of what | value | made small by | passed by |", "|---|---|---|---|---|"]
    for row in LIMITS:
        test = row.passed_by.rpartition("::")[2].replace("cheat:", "the cheat ")
        value = f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:g}"
        lines.append(f"| `{row.where.partition(':')[2]}` | {row.what} | {value} | {row.small} | {test} |")
    return "\n".join(lines)
