"""One search of any kind, for a process of its own, and what it says."""

from tests.checkers.membership.cuts import search_cuts
from tests.checkers.membership.plans import run_plans
from tests.checkers.membership.setups import PLANS, SEARCHES
from tests.checkers.membership.slots import search_slots

__all__ = ["CUTS", "Job", "run_job"]

CUTS = "cuts"
Job = tuple[str, int | None, int, int]
"""What is searched, after how many states a search stops, how many plans, and the first seed."""


def run_job(job: Job) -> tuple[str, bool]:
    """One search: what it says, and whether all is right."""
    name, most_states, plans, seed = job
    if name in SEARCHES:
        found = search_slots(SEARCHES[name], most_states=most_states)
        ends = "every state" if found.is_complete else "not every state"
        words = (
            f"{name}: {found.states:,} states, {found.transitions:,} transitions, {found.runs:,} runs of the code, "
            f"{ends}, {found.seconds:.0f} s"
        )
        return "\n".join([words, *found.way, *found.wrongs]), not found.wrongs
    if name in PLANS:
        played = run_plans(PLANS[name], plans, seed)
        words = f"{name}: {played.plans:,} plans from seed {seed}, {played.seconds:.0f} s"
        return "\n".join([words, *(f"seed {at}: {wrong}" for at, wrong in played.wrongs.items())]), not played.wrongs
    cuts = [search_cuts(honest) for honest in (1, 2, 3)]
    wrongs = [wrong for each in cuts for wrong in each.wrongs]
    return "\n".join([f"{name}: {sum(each.cuts for each in cuts):,} cuts", *wrongs]), not wrongs
