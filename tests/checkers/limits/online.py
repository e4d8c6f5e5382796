"""The limits of a relay, and of the routes to other machines."""

from tests.checkers.limits.limit import Limit

__all__ = ["ONLINE_LIMITS"]

_RELAY = "tests/relay/test_server.py::"
_MEMBER = "tests/relay/test_member.py::"
_PATH = "tests/routes/test_path.py::"
_ROUNDS = "tests/routes/test_rounds.py::"
_PEER = "tests/routes/test_peer_routes.py::"
_PATCH = "the constant is replaced"

# fmt: off
ONLINE_LIMITS: tuple[Limit, ...] = (
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
    Limit("relay.rooms:ORIGINS_KEPT", "addresses whose wrong codes are remembered", _PATCH,
          "tests/relay/test_guesses.py::test_only_so_many_addresses_are_remembered"),
    Limit("relay.rooms:MOST_UNREAD", "events of a relay that nobody has read", _PATCH,
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
    Limit("relay.reflection:MOST_HAIRPIN_TRIES", "questions and tokens of each end of a hairpin test",
          "a relay that is down",
          "tests/relay/test_hairpin.py::test_without_an_answer_of_the_relay_it_is_not_known"),
    Limit("routes.online:MOST_OWN", "own and mapped addresses", "an argument passes it",
          "tests/routes/test_online.py::test_only_so_many_addresses_are_told"),
    Limit("routes.notes:MOST_CANDIDATES", "candidates of a note", "a note passes it",
          "tests/routes/test_notes.py::test_more_candidates_than_the_limit_are_refused"),
    Limit("routes.notes:WINDOW", "notes that the newest may overtake", "many notes",
          "tests/routes/test_seals.py::test_each_note_of_the_window_opens_once_in_any_order"),
    Limit("routes.notes:MOST_NOTES", "notes of one member to another", _PATCH,
          "tests/routes/test_seals.py::test_a_counter_never_begins_again"),
    Limit("routes.path:MOST_PENDING", "probes whose answer may still come", _PATCH,
          _PATH + "test_probes_without_an_answer_fill_no_memory"),
    Limit("routes.path:MOST_RETRIES", "probes of an address that never answers", "a silent path",
          _PATH + "test_one_that_was_heard_and_never_answered_is_probed_a_few_times"),
    Limit("routes.path:MOST_LATER", "probes of a path that answered once", "a silent path",
          _PATH + "test_one_that_has_answered_once_is_probed_for_some_minutes_after_it_was_left"),
    Limit("routes.peer_routes:ROUNDS", "rounds in a row", "a path that does not exist",
          _ROUNDS + "test_three_rounds_and_then_one_every_minute"),
    Limit("routes.peer_routes:MOST_OFFERS", "OFFERs of a round without a REPLY", "a peer that does not reply",
          _ROUNDS + "test_an_offer_without_a_reply_is_repeated_a_few_times_in_a_round"),
    Limit("routes.peer_routes:MOST_TRIED", "addresses of a peer tried that never answered", "many candidates",
          _PEER + "test_only_so_many_addresses_are_tried_of_one_peer"),
    Limit("routes.peer_routes:MOST_PATHS", "paths to one peer", _PATCH, _PEER + "test_paths_and_tokens_fill_no_memory"),
    Limit("routes.peer_routes:MOST_TOKENS", "tried addresses that may still answer", _PATCH,
          _PEER + "test_paths_and_tokens_fill_no_memory"),
    Limit("routes.routes:MOST_WAITING", "datagrams that wait for the socket", _PATCH,
          "tests/routes/test_routes.py::test_what_waits_for_the_socket_is_limited"),
)
# fmt: on
"""One row for each limit."""
