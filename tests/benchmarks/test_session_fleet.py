"""Many sessions in one process, over loopback."""

from benchmarks.commands.session_fleet import Fleet

from retick.rollback.session.inside import inside_of


def test_two_fleets_over_loopback_find_each_other_and_play() -> None:
    hosts = Fleet(None, 2)
    joiners = Fleet(hosts.addresses, 2)
    try:
        for _ in range(400):
            hosts.run(0.02)
            joiners.run(0.02)
            matches = [inside_of(member.session).match for member in hosts.members]
            if all(match is not None and match.engine.confirmed_frame > 5 for match in matches):
                break
        assert hosts.running == joiners.running == 2
        hosts.measuring = True
        hosts.run(0.1)
        assert hosts.late
    finally:
        hosts.close()
        joiners.close()
