"""Two rooms of the studio play each other over UDP on this machine."""

from tests.studio.play.test_room import Play


def turn_all(*plays: Play, seconds: float) -> None:
    """Both rooms on one clock, which need not be the real one: datagrams on this machine are there at once."""
    end = plays[0].now + seconds
    while plays[0].now < end:
        for play in plays:
            if play.room._match is not None and play.room._end is None:
                play.room._turn(play.room._match)
            play.drain()
            play.now += 0.004


def close(*plays: Play) -> None:
    for play in plays:
        if play.room._match is not None:
            play.room._match.you.driver.wire.close()


def test_a_hosted_match_is_joined_by_its_invite_and_ends_on_equal_checksums() -> None:
    host, guest = Play(), Play()
    try:
        host.send("start", against="host", port=0)
        waiting = host.room.hello()["phase"]
        assert waiting["phase"] == "waiting"
        guest.send("start", against="join", address=waiting["text"].split()[-1])
        turn_all(host, guest, seconds=3.0)
        for play, seat in ((host, 0), (guest, 1)):
            assert play.room.hello()["phase"]["phase"] == "running"
            assert play.room.hello()["phase"]["seat"] == seat
            assert play.room.hello()["phase"]["names"][seat] == "You"
            frame = play.of("frame")[-1]
            assert frame["other"] is None
            assert frame["ghost"] is not None
        host.send("keys", pressed=2)
        turn_all(host, guest, seconds=0.62)  # 37 frames of 300: within reach
        host.send("keys", pressed=0)
        for _ in range(60):
            host.send("keys", pressed=8)
            turn_all(host, guest, seconds=0.1)
            host.send("keys", pressed=0)
            turn_all(host, guest, seconds=0.8)
            if host.room._end is not None and guest.room._end is not None:
                break
        ends = [play.of("end")[0] for play in (host, guest)]
        assert all(end["equal"] for end in ends)
        assert ends[0]["yours"] == ends[1]["yours"]
    finally:
        close(host, guest)


def test_the_sliders_make_a_real_network_worse() -> None:
    host, guest = Play(), Play()
    try:
        host.send("start", against="host", port=0)
        guest.send("start", against="join", address=host.room.hello()["phase"]["text"].split()[-1])
        turn_all(host, guest, seconds=3.0)
        assert host.of("settings")[0]["settings"]["latency"] == 0
        assert guest.of("frame")[-1]["columns"][-1][5] < 60
        host.send("network", latency=100, jitter=0, loss=0, bursts=0)
        turn_all(host, guest, seconds=5.0)
        assert guest.of("frame")[-1]["columns"][-1][5] > 150
    finally:
        close(host, guest)


def test_a_host_that_does_not_answer_ends_in_words() -> None:
    guest = Play()
    try:
        guest.send("start", against="join", address="127.0.0.1:9")
        turn_all(guest, seconds=30.0)
        assert guest.of("end")[0]["text"]
        assert guest.of("end")[0]["yours"] is None
    finally:
        close(guest)
