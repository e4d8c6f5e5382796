"""Peer to peer: inputs are predicted, and after a wrong prediction the frames since then are resimulated.

Knows the simulation contract, packets and links, but no socket, no clock, no file and no particular game.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.rollback.desync.equivocation import EquivocationProof
    from retick.rollback.desync.investigation import Investigation
    from retick.rollback.desync.report import DesyncReport
    from retick.rollback.engine.cues import CueCancelled, CueConfirmed, CueEvent, CueStarted, CueTracker
    from retick.rollback.engine.engine import EngineStats, RollbackEngine, SyncTest
    from retick.rollback.events import (
        DesyncDetected,
        DesyncReported,
        EquivocationProved,
        FramesTakenBack,
        InputConflictDetected,
        MatchEnded,
        MatchEvent,
        MatchPaused,
        MatchResumed,
        MatchStarted,
        MessageReceived,
        PeerConnected,
        PeerDisconnected,
        PeerInterrupted,
        PeerResumed,
        PeerUnheard,
        PlayersDropped,
        PlayersReturned,
        Reconnecting,
        RematchProposed,
        Resumed,
        RosterChanged,
        RosterPeer,
        SourceChanged,
        Stalled,
        WatchingStarted,
    )
    from retick.rollback.lan import LanSession
    from retick.rollback.match.config import MatchConfig
    from retick.rollback.match.recording import RecordsMatches
    from retick.rollback.match.stats import PeerStats, SessionStats
    from retick.rollback.session.session import Phase, RollbackSession
    from retick.rollback.spectate.spectator import SpectatorSession
    from retick.sim.contract import Between
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.rollback.desync.equivocation": "EquivocationProof",
            "retick.rollback.desync.investigation": "Investigation",
            "retick.rollback.desync.report": "DesyncReport",
            "retick.rollback.engine.cues": "CueCancelled CueConfirmed CueEvent CueStarted CueTracker",
            "retick.rollback.engine.engine": "EngineStats RollbackEngine SyncTest",
            "retick.rollback.events": "DesyncDetected DesyncReported EquivocationProved FramesTakenBack "
            "InputConflictDetected MatchEnded MatchEvent MatchPaused MatchResumed "
            "MatchStarted MessageReceived PeerConnected PeerDisconnected PeerInterrupted "
            "PeerResumed PeerUnheard PlayersDropped PlayersReturned Reconnecting "
            "RematchProposed Resumed RosterChanged RosterPeer SourceChanged Stalled "
            "WatchingStarted",
            "retick.rollback.lan": "LanSession",
            "retick.rollback.match.config": "MatchConfig",
            "retick.rollback.match.recording": "RecordsMatches",
            "retick.rollback.match.stats": "PeerStats SessionStats",
            "retick.rollback.session.session": "Phase RollbackSession",
            "retick.rollback.spectate.spectator": "SpectatorSession",
            "retick.sim.contract": "Between",
        },
    )

__all__ = [
    "Between",
    "CueCancelled",
    "CueConfirmed",
    "CueEvent",
    "CueStarted",
    "CueTracker",
    "DesyncDetected",
    "DesyncReport",
    "DesyncReported",
    "EngineStats",
    "EquivocationProof",
    "EquivocationProved",
    "FramesTakenBack",
    "InputConflictDetected",
    "Investigation",
    "LanSession",
    "MatchConfig",
    "MatchEnded",
    "MatchEvent",
    "MatchPaused",
    "MatchResumed",
    "MatchStarted",
    "MessageReceived",
    "PeerConnected",
    "PeerDisconnected",
    "PeerInterrupted",
    "PeerResumed",
    "PeerStats",
    "PeerUnheard",
    "Phase",
    "PlayersDropped",
    "PlayersReturned",
    "Reconnecting",
    "RecordsMatches",
    "RematchProposed",
    "Resumed",
    "RollbackEngine",
    "RollbackSession",
    "RosterChanged",
    "RosterPeer",
    "SessionStats",
    "SourceChanged",
    "SpectatorSession",
    "Stalled",
    "SyncTest",
    "WatchingStarted",
]
