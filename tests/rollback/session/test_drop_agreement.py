"""Who is lost, and what survivors must have said before it is decided."""

from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.session.drop_agreement import DropAgreement
from retick.rollback.session.messages.decisions import Drop, Known
from tests.toys import Tally


def engine_with(*inputs: int) -> RollbackEngine:
    sim = Tally(3)
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=128)
    engine.add_remote_inputs(2, 0, list(inputs))
    return engine


def test_a_peer_that_left_before_the_next_match_is_not_carried_into_it() -> None:
    """Two are lost at once; the one that tells us had agreed on the first before the match began, and we had not."""
    agreement = DropAgreement()
    agreement.add_lost(1, (1,))
    agreement.add_lost(2, (2,))
    assert agreement.carried_over() == {1: (1,), 2: (2,)}
    agreement.ahead[3] = Drop(frozenset({1, 2}), (), (), 1, frozenset({1}))
    assert agreement.carried_over() == {2: (2,)}


def test_what_one_survivor_misses_another_fills_before_anyone_is_blamed() -> None:
    agreement, engine = DropAgreement(), engine_with(5)
    agreement.add_lost(2, (2,))
    # One who came late shows only the newest; the frames between are another's to show.
    late = Drop(frozenset({2}), (Known(2, 4, (8,)),), ())
    agreement.receive(7, late)
    assert agreement.disagreeing([1, 7], 0) == [1]
    agreement.receive(1, Drop(frozenset({2}), (Known(2, 3, (5, 6, 7)),), ()))
    assert agreement.disagreeing([1, 7], 0) == []
    assert agreement.decide([1, 7], engine, 0) == {2: 4}


def test_who_claims_what_nobody_shows_is_named_and_nothing_is_decided_until_it_is_shown() -> None:
    agreement, engine = DropAgreement(), engine_with(5)
    agreement.add_lost(2, (2,))
    agreement.receive(7, Drop(frozenset({2}), (Known(2, 4, ()),), ()))
    agreement.receive(1, Drop(frozenset({2}), (Known(2, 1, (5,)),), ()))
    assert agreement.unproved([1, 7], engine) == [7]
    assert agreement.decide([1, 7], engine, 0) == {}
    engine.add_remote_inputs(2, 1, [6, 7, 8])
    assert agreement.unproved([1, 7], engine) == []
    assert agreement.decide([1, 7], engine, 0) == {2: 4}


def test_a_frame_that_a_survivor_has_decided_stands_though_more_is_known_here() -> None:
    agreement, engine = DropAgreement(), engine_with(5, 6)
    agreement.add_lost(2, (2,))
    agreement.view(engine, (), 0, {})
    engine.add_remote_inputs(2, 2, [7])
    agreement.receive(1, Drop(frozenset({2}), (), (), decided=((2, 2),)))
    assert agreement.decide([1], engine, 0) == {2: 2}


def test_a_frame_below_what_somebody_had_named_was_never_decided() -> None:
    """Who decides has received what every survivor knew: less than that is a lie, or of a drop before this one."""
    agreement, engine = DropAgreement(), engine_with(5, 6)
    agreement.add_lost(2, (2,))
    agreement.view(engine, (), 0, {})
    agreement.receive(3, Drop(frozenset({2}), (Known(2, 3, (5, 6, 7)),), ()))
    agreement.receive(1, Drop(frozenset({2}), (), (), decided=((2, 2),)))
    assert agreement.decide([1, 3], engine, 0) == {2: 3}


def test_who_has_named_a_lost_peer_cannot_take_it_back() -> None:
    agreement = DropAgreement()
    agreement.add_lost(2, (2,))
    agreement.receive(1, Drop(frozenset({2}), (), ()))
    assert agreement.takes_back(1, Drop(frozenset(), (), ()))
    assert not agreement.takes_back(1, Drop(frozenset({2, 3}), (), ()))
    assert not agreement.takes_back(3, Drop(frozenset(), (), ()))


def test_a_peer_left_before_the_next_match_only_if_all_that_play_it_say_so() -> None:
    agreement = DropAgreement()
    agreement.add_lost(1, (1,))
    agreement.ahead[3] = Drop(frozenset({1}), (), (), 1, frozenset({1}))
    agreement.ahead[4] = Drop(frozenset({1}), (), (), 1, frozenset())
    assert agreement.carried_over() == {1: (1,)}


def test_inputs_of_decided_players_do_not_travel() -> None:
    agreement, engine = DropAgreement(), engine_with(5, 6, 7)
    agreement.add_lost(2, (2,))
    assert agreement.view(engine, (), 0, {}).known == (Known(2, 3, (5, 6, 7)),)
    assert agreement.decide([], engine, 0) == {2: 3}
    later = agreement.view(engine, (), 0, {})
    assert (later.known, later.decided) == ((), ((2, 3),))


def test_each_view_has_a_greater_serial_and_names_whom_we_do_not_hear() -> None:
    agreement, engine = DropAgreement(), engine_with()
    views = [agreement.view(engine, (), 0, {3: 10, 1: 12}) for _ in range(3)]
    assert [view.serial for view in views] == [1, 2, 3]
    assert views[0].unheard == ((1, 12), (3, 10))


def test_a_shorter_history_takes_what_fits_and_waits_for_the_rest() -> None:
    sim = Tally(3)
    engine = RollbackEngine(sim, sim.initial_state(1), local_player=0, history=4, prediction_window=4)
    agreement = DropAgreement()
    agreement.add_lost(2, (2,))
    agreement.receive(1, Drop(frozenset({2}), (Known(2, 9, tuple(range(9))),), ()))
    assert agreement.decide([1], engine, 0) == {}
    assert engine.first_missing(2) == 5
    assert agreement.unproved([1], engine) == []
    engine.add_remote_inputs(1, 0, [1] * 5)
    for _ in range(5):
        engine.advance(0)
    assert agreement.decide([1], engine, 0) == {2: 9}


def test_peers_whose_drop_is_not_agreed_can_be_taken_back_and_others_cannot() -> None:
    agreement, engine = DropAgreement(), engine_with(5)
    agreement.add_lost(2, (2,))
    assert agreement.decide([], engine, 0) == {2: 1}
    agreement.add_lost(1, (1,))
    assert agreement.take_back() == {1: (1,)}
    assert set(agreement.lost) == {2}
    assert not agreement.undecided


def test_a_word_of_another_match_decides_nothing() -> None:
    agreement, engine = DropAgreement(), engine_with(5)
    agreement.add_lost(2, (2,))
    agreement.receive(1, Drop(frozenset({2}), (), (), 1))
    assert agreement.decide([1], engine, 0) == {}
    assert agreement.decide([1], engine, 1) == {2: 1}


def test_inputs_that_contradict_ours_are_counted_and_the_rest_is_taken() -> None:
    agreement, engine = DropAgreement(), engine_with(5, 6)
    agreement.add_lost(2, (2,))
    agreement.receive(1, Drop(frozenset({2}), (Known(2, 4, (5, 9, 7, 8)),), ()))
    assert engine.first_missing(2) == 2
    assert agreement.decide([1], engine, 0) == {2: 4}
    assert agreement.refused == 1
    assert engine.inputs_of(2, 0, 4) == [5, 6, 7, 8]


def test_inputs_behind_a_gap_that_contradict_ours_do_not_make_a_liar_of_the_one_who_tells_us() -> None:
    agreement, engine = DropAgreement(), engine_with()
    engine.add_remote_inputs(2, 2, [6, 7])
    agreement.add_lost(2, (2,))
    agreement.receive(1, Drop(frozenset({2}), (Known(2, 5, (1, 1, 1, 1, 1)),), ()))
    assert agreement.decide([1], engine, 0) == {2: 5}
    assert agreement.refused == 1
    assert engine.inputs_of(2, 0, 5) == [1, 1, 6, 7, 1]


def test_inputs_that_one_survivor_alone_has_behind_a_gap_do_not_part_the_survivors() -> None:
    """The lost peer sent frames 0 to 2 to one of them, and 2 to 5 to the other."""
    engines = [engine_with(1, 1, 1), engine_with()]
    engines[1].add_remote_inputs(2, 2, [1, 1, 1, 1])
    agreements = [DropAgreement(), DropAgreement()]
    for agreement in agreements:
        agreement.add_lost(2, (2,))
    views = [agreement.view(engine, (), 0, {}) for agreement, engine in zip(agreements, engines, strict=True)]
    for mine, (agreement, engine) in enumerate(zip(agreements, engines, strict=True)):
        agreement.receive(1 - mine, views[1 - mine])
        ((player, frame),) = agreement.decide([1 - mine], engine, 0).items()
        assert (player, frame) == (2, 3)
        engine.drop_player(player, frame)
        engine.add_remote_inputs(1, 0, [4] * 8)
        for _ in range(8):
            engine.advance(9)
    assert engines[0].state == engines[1].state
