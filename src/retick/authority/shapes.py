"""The former name of :mod:`retick.authority.profile`, kept for programs that import it."""

from retick.authority.profile import (
    Builder,
    Command,
    Motor,
    Numbers,
    PlayerState,
    Profile,
    Rewound,
    State,
    Vector,
    View,
)

__all__ = ["Builder", "Command", "Motor", "Numbers", "PlayerState", "Profile", "Rewound", "State", "Vector", "View"]
