"""Interior-point solution of a convex quadratic programme with bounds and one equation.

    minimize   1/2 b'K b - kappa'b
    subject to 0 <= b_j <= most,  low <= sum b <= high                                       (1)

With x = (b, t), t the sum of b, multipliers z and v >= 0 of the lower bounds l and the upper ones
u, and y of a'x = sum b - t = 0, each round is a Newton step towards

    H x - k - z + v - y a = 0,  a'x = 0,  z (x - l) = v (u - x) = mu,                        (2)

with mu lowered as far as a step for mu = 0 shows that it can be (predictor and corrector).

Symbols     K (n, n) = A A', known by A (n, d) or by itself; H has K for b and 0 for t.
Exact       a round needs the inverse of K + D, D diagonal: of size n, or of I + A'D^-1 A if d < n.
            Twenty to thirty rounds end at rounding, whatever the condition of K.
Source      Mehrotra (1992), SIAM J. Optimization 2.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators

ROUNDS = 60
"""Most rounds."""

END = 1e-17
"""The last mu, as a share of the first."""

SHARE = 0.995
"""Share of the way to the nearest bound that a step may go."""


def solution(A: Table, kappa: Vector, most: float, low: float, high: float) -> Vector:
    """Return b (n,) of programme (1) for the rows A (n, d).

    >>> A = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> solution(A, np.array([2.0, -1.0]), 1.5, 0.0, 4.0).round(9)
    array([1.5, 0. ])
    """
    n = len(kappa)
    gram = operators.crossed(A.T, A.T) if n <= A.shape[1] else None
    k = np.append(kappa, 0.0)
    a = np.append(np.ones(n), -1.0)
    l = np.append(np.zeros(n), low)
    u = np.append(np.full(n, most), high)
    x = (l + u) / 2.0
    x[:n] = min(1.0, most / 2.0)
    size = np.full(n + 1, float(np.abs(kappa).max()) or 1.0)
    # Distances to the bounds by themselves: as differences they would lose their digits.
    s = State(x - l, u - x, size, size)
    y = 0.0
    first = s.gap
    for _ in range(ROUNDS):
        if not s.gap > END * first:
            break
        Hx = np.append(operators.times(A, operators.crossed(A, x[:n, None]).ravel()), 0.0)
        try:
            solve = _factored(A, gram, s.z / s.p + s.v / s.q)
        except np.linalg.LinAlgError:  # what is left is rounding
            break
        system = System(k - Hx + y * a, -float(a @ x), a, solve)
        ahead, _ = system.step(s, 0.0, 0.0, 0.0)
        left = s.moved(ahead, min(1.0, s.reach(ahead))).gap
        aim = s.gap * (left / s.gap) ** 3
        step, dy = system.step(s, aim, ahead.p * ahead.z, ahead.q * ahead.v)
        far = min(1.0, SHARE * s.reach(step))
        x = x + far * step.p
        s = s.moved(step, far)
        y += far * dy
    return np.where(s.p < s.q, s.p + l, u - s.q)[:n]


class State(NamedTuple):
    """Distances p, q (n + 1,) to the lower and upper bounds and their multipliers, or steps."""

    p: Vector
    q: Vector
    z: Vector
    v: Vector

    @property
    def gap(self) -> float:
        """Mean product of a distance and its multiplier."""
        return float(self.p @ self.z + self.q @ self.v) / (2 * len(self.p))

    def moved(self, step: "State", far: float) -> "State":
        """Return the state after a part of a step."""
        return State(*(own + far * d for own, d in zip(self, step, strict=True)))

    def reach(self, step: "State") -> float:
        """Part of a step at which the first distance or multiplier is 0."""
        pairs = zip(self, step, strict=True)
        return min(float(np.min(own[d < 0] / -d[d < 0], initial=np.inf)) for own, d in pairs)


class System(NamedTuple):
    """Newton equations of (2) at a point: k - H x + y a, -a'x, a, and products with (H + D)^-1."""

    slope: Vector
    miss: float
    a: Vector
    solve: Callable[[Vector], Vector]

    def step(
        self, s: State, aim: float, over: Vector | float, under: Vector | float
    ) -> tuple[State, float]:
        """Step towards mu = `aim`, and that of y; `over` and `under` are foreseen excesses.

        These are what the products of a distance and its multiplier miss mu by where both move.
        """
        below = (aim - over) / s.p - s.z
        above = (aim - under) / s.q - s.v
        Mr = self.solve(self.slope + s.z - s.v + below - above)
        Ma = self.solve(self.a)
        dy = (self.miss - float(self.a @ Mr)) / float(self.a @ Ma)
        dx = Mr + dy * Ma
        return State(dx, -dx, below - s.z * dx / s.p, above + s.v * dx / s.q), dy


def _factored(A: Table, gram: Matrix | None, D: Vector) -> Callable[[Vector], Vector]:
    """Return the product with the inverse of H + diag(D) for x = (b, t)."""
    own = D[:-1]
    if gram is not None:
        factor = cho_factor(gram + np.diag(own), check_finite=False)
        return lambda r: np.append(cho_solve(factor, r[:-1], check_finite=False), r[-1] / D[-1])
    E = operators.crossed(distances.rows_times(A, 1.0 / own), A)
    E[np.diag_indices_from(E)] += 1.0
    factor = cho_factor(E, check_finite=False)

    def solve(r: Vector) -> Vector:
        alone = r[:-1] / own
        inner = cho_solve(factor, operators.crossed(A, alone[:, None]).ravel(), check_finite=False)
        return np.append(alone - operators.times(A, inner) / own, r[-1] / D[-1])

    return solve
