"""Pong as a pure function of integers: no window, no clock, no network. ``pong_online.py`` puts it on the wire."""

from collections.abc import Iterator, Sequence

from retick.sim import I32, U8, U32, Record, XorShift32

UP, DOWN = 1, 2
WIDTH, HEIGHT = 640, 360
PADDLE, DEPTH, BALL = 60, 10, 10
PADDLE_SPEED, BALL_SPEED = 5, 4


class PongState(Record):
    """Everything that the next step depends on, also the state of the random generator."""

    frame: U32
    ball_x: I32
    ball_y: I32
    ball_vx: I32
    ball_vy: I32
    left_y: I32
    right_y: I32
    left_score: U8
    right_score: U8
    rng: U32


class Pong:
    """What Retick needs of a game: these five names, which depend on the state and the inputs only."""

    num_players = 2
    game_id = "example.pong"
    game_version = 1

    def initial_state(self, seed: int) -> PongState:
        middle = (HEIGHT - PADDLE) // 2
        empty = PongState(
            frame=0, ball_x=0, ball_y=0, ball_vx=0, ball_vy=0,
            left_y=middle, right_y=middle, left_score=0, right_score=0, rng=seed,
        )  # fmt: skip
        return serve(empty, towards_left=bool(seed & 1))

    def step(self, state: PongState, inputs: Sequence[int], /) -> PongState:
        left, right = move(state.left_y, inputs[0]), move(state.right_y, inputs[1])
        state = state.replace(frame=state.frame + 1, left_y=left, right_y=right)
        x, y, vx, vy = state.ball_x + state.ball_vx, state.ball_y + state.ball_vy, state.ball_vx, state.ball_vy
        if not 0 <= y <= HEIGHT - BALL:
            vy = -vy
            y = min(max(y, 0), HEIGHT - BALL)
        if vx < 0 and x <= DEPTH and left - BALL < y < left + PADDLE:
            vx, vy = -vx, spin(y - left)
        elif vx > 0 and x >= WIDTH - DEPTH - BALL and right - BALL < y < right + PADDLE:
            vx, vy = -vx, spin(y - right)
        if x < -BALL:
            return serve(state.replace(right_score=(state.right_score + 1) % 100), towards_left=True)
        if x > WIDTH:
            return serve(state.replace(left_score=(state.left_score + 1) % 100), towards_left=False)
        return state.replace(ball_x=x, ball_y=y, ball_vx=vx, ball_vy=vy)

    def checksum(self, state: PongState) -> int:
        return state.checksum()

    def fields(self, state: PongState) -> Iterator[tuple[str, int]]:
        return state.fields()

    def cues(self, before: PongState, after: PongState) -> Iterator[str]:
        """What can be heard of a step."""
        if (after.left_score, after.right_score) != (before.left_score, before.right_score):
            yield "goal"
        elif after.ball_vx != before.ball_vx:
            yield "paddle"

    def pack_state(self, state: PongState, /) -> bytes:
        return state.to_bytes()

    def unpack_state(self, data: bytes, /) -> PongState:
        return PongState.from_bytes(data)


def move(y: int, buttons: int) -> int:
    y += PADDLE_SPEED * (bool(buttons & DOWN) - bool(buttons & UP))
    return min(max(y, 0), HEIGHT - PADDLE)


def spin(offset: int) -> int:
    """The further from the paddle's middle, the steeper."""
    return (offset + BALL // 2 - PADDLE // 2) // 6


def serve(state: PongState, *, towards_left: bool) -> PongState:
    height, rng = XorShift32(state.rng).below(HEIGHT - BALL)
    slope, rng = rng.below(5)
    speed = -BALL_SPEED if towards_left else BALL_SPEED
    return state.replace(ball_x=WIDTH // 2, ball_y=height, ball_vx=speed, ball_vy=slope - 2, rng=rng.state)
