"""Decides, under a time budget, which run goes next and how many seconds it may take.

The first start of every family goes before all others, the cheapest first: each may take its share
of the time, or all that the expectations of those after it leave. A run that no deadline can end in
time is left out, as is a further start that would take longer than is left. The cheapest run that
uses several tasks is made even if no time is left, since it is what a budget must not cost.

Limits  without a budget the order is that of the plan, and no run is limited.
"""

import math
from collections.abc import Callable, Sequence

from kinfolk.choosing.costs import FULL, WHOLE, Costs, Effort
from kinfolk.running import deadlines

JUDGED = 0.25
"""Share of the time for null levels; if they need more, fewer rows are scored."""
JUDGING = 1.5
"""Seconds of all scoring (null levels, own runs, the answer) per second of null levels."""
COMBININGS = 3.0
"""Seconds of combining all runs later, per second of combining the own runs."""


class Turns:
    """Schedules the runs of a plan under a deadline: their order, and the seconds each may take.

    Parameters
    ----------
    budget : seconds from now for all that is to be done; None: until the deadline around, if any
    costs : what runs are expected to take; None: nothing is known

    Attributes
    ----------
    end : the moment of `deadlines.clock`; inf without one
    n_first : number of runs at the beginning of the order that are the first of their family
    later : gives the seconds that steps other than runs need after the present plan

    Examples
    --------
    >>> Turns(None, None).begin(["b", "a", "b"]), Turns(9.0, None).begin(["b", "b", "a"])
    ([0, 1, 2], [0, 2, 1])
    """

    def __init__(self, budget: float | None, costs: Costs | None) -> None:
        mine = math.inf if budget is None else deadlines.clock() + budget
        self.end = min(mine, deadlines.moment())
        self.costs = costs
        self.later: Callable[[], float] = float
        # Families that wait for their first start, in this plan and in the next one.
        self._first: list[str] = []
        self._joint: list[str] = []
        self.n_first = 0
        # One run of several tasks is made even if no time is left: the next one, and which it was.
        self._joint_owed = False
        self._asked = ""
        # First own runs start before this moment, so that half of the time is left for joint ones
        # and for comparing tasks, or more if comparing takes longer.
        self._half = math.inf
        self._others_began = math.inf

    @property
    def limited(self) -> bool:
        """True if there is a deadline."""
        return math.isfinite(self.end)

    @property
    def left(self) -> float:
        """Seconds left for the runs of the present plan; inf without a deadline."""
        return self.end - deadlines.clock() - self.later() if self.limited else math.inf

    def begin(self, families: Sequence[str]) -> list[int]:
        """Start a plan of runs of these families; return their positions in the order to run.

        Every family then waits for its first start.
        """
        places = list(range(len(families)))
        self._first = []
        self.n_first = 0
        self._others_began = math.inf
        if not self.limited:
            return places
        first: dict[str, int] = {}
        for place in places:
            first.setdefault(families[place], place)
        self._first = sorted(first, key=self.expected)
        self.n_first = len(first)
        return [first[name] for name in self._first] + sorted({*places} - {*first.values()})

    def take(self, family: str) -> float | None:
        """Start a run of this family; return the seconds it may take, None to skip it.

        The first turn of a family ends its waiting.
        """
        if not self.limited:
            return math.inf
        if family in self._first:
            self._first.remove(family)
            waiting = [*self._first, *self._joint]
            others = sum(map(self.expected, waiting))
            allowed = max(self.left / (1 + len(waiting)), self.left - others)
            allowed = min(allowed, self._half - deadlines.clock())
            needed = self.expected(family) * WHOLE.get(family, 1.0)
            if self._joint_owed:
                self._joint_owed = False
                self._asked = family
                return max(allowed, needed)
        else:
            allowed = self.left - sum(map(self.expected, self._joint))
            if self._joint:
                # The other half is for their further starts.
                self._others_began = min(self._others_began, deadlines.clock())
                allowed -= deadlines.clock() - self._others_began
            # A descent that is ended within its first sweeps is no second opinion.
            needed = self.expected(family)
        return allowed if allowed > 0 and needed <= allowed else None

    @property
    def further(self) -> float:
        """Seconds available for all remaining starts of the present plan together."""
        left = self.left - sum(map(self.expected, self._joint))
        return left / 2 if self._joint else left

    def learn(self, family: str, seconds: float) -> None:
        """Record the seconds that a run of this family took, to correct later predictions."""
        if self.costs is not None:
            self.costs.learn(family, seconds)

    def fail(self, family: str) -> None:
        """Record that a run of this family gave no clusters."""
        self._joint_owed |= family == self._asked

    def prepare_own(self, joint: Sequence[str]) -> Effort:
        """Reserve time for all steps after the own runs; return how thoroughly to score.

        `joint` names the families that use several tasks, which then have a plan of their own.
        """
        costs = self.costs
        if costs is None or not self.limited:
            return FULL
        effort = costs.effort(self.left * JUDGED)
        self._joint = list(joint)
        pairs = costs.pairs(effort)
        kept = 0.0 if joint else pairs
        self.later = lambda: JUDGING * costs.judging(effort) + kept
        if joint:
            # Expectations err; the families of several tasks are asked even so.
            self._half = deadlines.clock() + min(self.left / 2, self.left - pairs)
        return effort

    def prepare_joint(self, judged: float, combined: float, effort: Effort) -> None:
        """Reserve time for combining joint runs, predicted from combining the own runs.

        Parameters
        ----------
        judged, combined : seconds that null levels and the combining of own runs took
        effort : of judging
        """
        if self.costs is not None:
            self.costs.judged(judged, effort)
        self._joint = []
        self._joint_owed = True
        self._half = math.inf
        # At most half of what is left: families of several tasks are asked even if it is little.
        kept = min(COMBININGS * combined, max(self.end - deadlines.clock(), 0.0) / 2)
        self.later = lambda: kept

    def allow(self, seconds: float) -> bool:
        """True if a step of this many seconds leaves enough time for the later steps."""
        return self.left > seconds

    def expected(self, family: str) -> float:
        """Predicted seconds of a run of a family; 0 without a prediction."""
        return 0.0 if self.costs is None else self.costs.of(family)
