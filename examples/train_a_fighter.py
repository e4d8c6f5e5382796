"""A policy that learns to hit: evolution strategies on thousands of matches at once, with NumPy and nothing else.

Each candidate policy is a small random change of the best one and plays its own matches as player 1; player 2 stands
still in front of it. What a candidate was paid decides how far the policy moves towards it.
"""

import numpy as np

from retick.integrations.vector import OBSERVED, VectorFighter

ACTIONS = np.array([0x0, 0x1, 0x2, 0x4, 0x8], np.uint16)  # nothing, left, right, jump, attack
FRAMES = 180


def play(policies: np.ndarray, many: VectorFighter, each: int) -> np.ndarray:
    """The sum of rewards of each policy over its matches. A policy is a matrix [observed + 1, actions]."""
    rng = np.random.default_rng(1)
    seen = many.reset()
    total = np.zeros(len(policies))
    buttons = np.zeros((many.matches, 2), np.uint16)
    for _ in range(FRAMES):
        views = seen[:, 0].reshape(len(policies), each, OBSERVED)
        scores = views @ policies[:, :OBSERVED] + policies[:, OBSERVED:]
        scores += rng.gumbel(size=scores.shape)  # a draw from the softmax of the scores
        buttons[:, 0] = ACTIONS[scores.argmax(axis=2)].reshape(-1)
        seen, rewards, _, _ = many.step(buttons)
        total += rewards[:, 0].reshape(len(policies), each).sum(axis=1)
    return total / each


def train(rounds: int = 40, candidates: int = 256, each: int = 4) -> tuple[float, float]:
    """What a match is worth to the policy before and after."""
    rng = np.random.default_rng(0)
    policy = np.zeros((OBSERVED + 1, len(ACTIONS)))
    with VectorFighter(candidates * each, max_frames=FRAMES) as many:
        before = play(np.repeat(policy[None], candidates, 0), many, each).mean()
        for _ in range(rounds):
            half = rng.normal(size=(candidates // 2, *policy.shape))
            noise = np.concatenate([half, -half])
            paid = play(policy + noise, many, each)
            ranks = paid.argsort().argsort() / (candidates - 1) - 0.5
            policy = policy + 10.0 * (ranks[:, None, None] * noise).mean(axis=0)
        after = play(np.repeat(policy[None], candidates, 0), many, each).mean()
    return float(before), float(after)


if __name__ == "__main__":
    before, after = train()
    print(f"a match was worth {before:.2f} to random buttons, and is worth {after:.2f} to what was learned")
