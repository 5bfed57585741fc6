"""Made tables of measured numbers, whose clusters have many sizes, shapes and places."""

import numpy as np
from sklearn.datasets import make_moons

from benchmarks.made_tables.parts import centers, clusters, members, named, table


def many_small(random):
    """Twenty data sets of 25 rows, each shifted as a whole: one alone shows little."""
    tasks, group = members(random, 20 * [25], [1, 1, 1])
    X = clusters(random, tasks, group, 5, 4.5, shift=1.0)
    return table(named(X.round(2)), tasks, group)


def one_large(random):
    """One data set of 700 rows beside three of 30 rows, too few for clusters of their own."""
    tasks, group = members(random, [700, 30, 30, 30], [1, 1, 1, 1])
    X = clusters(random, tasks, group, 6, 4.5, shift=0.7)
    return table(named(X.round(3)), tasks, group)


def wide(random):
    """300 columns for 45 rows of each data set; groups differ in 40 of them."""
    tasks, group = members(random, 3 * [45], [1, 1, 1])
    means = np.zeros((3, 300))
    means[:, :40] = 1.2 * random.normal(size=(3, 40))
    X = means[group] + random.normal(size=(len(tasks), 300))
    X = X + 0.5 * random.normal(size=(3, 300))[tasks]
    return table(named(X.round(3), "g"), tasks, group)


def unequal(random):
    """Groups of 80, 15 and 5 % of the rows: it looks better to divide the largest."""
    tasks, group = members(random, 3 * [200], [16, 3, 1])
    X = clusters(random, tasks, group, 5, 6, shift=0.3)
    return table(named(X.round(3)), tasks, group)


def eight_groups(random):
    """Eight groups, of which some are close to each other."""
    tasks, group = members(random, 4 * [200], np.ones(8))
    X = clusters(random, tasks, group, 6, 6, shift=0.6)
    return table(named(X.round(3)), tasks, group)


def subsets(random):
    """Five groups in all, three in each data set, and no group in all of them."""
    tasks = np.repeat(np.arange(4), 120)
    present = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [0, 3, 4]]
    group = np.array([random.choice(present[t]) for t in tasks])
    X = clusters(random, tasks, group, 6, 5, shift=0.5)
    return table(named(X.round(3)), tasks, group)


def elongated(random):
    """Long clusters, each in a direction of its own, across each other."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    lengths = np.array([2.5, 1, 0.5, 0.3])
    roots = [random.normal(size=(4, 4)) * lengths for _ in range(3)]
    means = centers(random, 3, 4, 9)
    X = np.array([means[g] + roots[g] @ random.normal(size=4) for g in group])
    X = X + 0.5 * random.normal(size=(4, 4))[tasks]
    return table(named(X.round(3)), tasks, group)


def spreads(random):
    """Clusters with standard deviations of .5, 1 and 2.5: rows of the widest reach the others."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    spread = np.array([0.5, 1, 2.5])[group][:, None]
    X = 7 * np.eye(3, 4)[group] / 1.4 + spread * random.normal(size=(len(tasks), 4))
    return table(named(X.round(3)), tasks, group)


def moons(random):
    """Two half moons, one around the end of the other: no center describes them."""
    tasks = np.repeat(np.arange(3), 150)
    X, group = make_moons(len(tasks), noise=0.07, random_state=random)
    return table(named(X.round(3)), tasks, group)


def skewed(random):
    """Five columns of gamma distributions, skewed to the right; each group is higher in one."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    X = 4 * np.eye(3, 5)[group] + random.gamma(1.5, 1.0, size=(len(tasks), 5))
    return table(named(X.round(3)), tasks, group)


def heavy_tails(random):
    """Clusters of t distributions with 2.2 degrees of freedom: some rows are far from all."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    X = centers(random, 3, 5, 8)[group] + random.standard_t(2.2, size=(len(tasks), 5))
    return table(named(X.round(3)), tasks, group)


def faulty(random):
    """One entry of a hundred is a hundred times too large."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    X = 20 + 3 * clusters(random, tasks, group, 6, 5.5)
    wrong = random.uniform(size=X.shape) < 0.01
    X[wrong] *= 100
    return table(named(X.round(2)), tasks, group)


def redundant(random):
    """Fourteen columns follow two factors that know nothing of the groups; four others tell."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    factors = random.normal(size=(len(tasks), 2))
    weights = random.normal(size=(2, 14))
    means = centers(random, 3, 4, 5.5)
    following = factors @ weights + 0.4 * random.normal(size=(len(tasks), 14))
    telling = means[group] + random.normal(size=(len(tasks), 4))
    return table(named(np.hstack([following, telling]).round(3)), tasks, group)


# The name is a part of the seed, and older than the number of columns.
def one_of_ten(random):
    """One column of eight tells two groups apart; the others are noise."""
    tasks, group = members(random, 4 * [150], [1, 1])
    X = random.normal(size=(len(tasks), 8))
    X[:, 2] += 6 * group
    return table(named(X.round(3)), tasks, group)


def two_of_ten(random):
    """Two columns of ten tell three groups apart, and only both together."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    X = random.normal(size=(len(tasks), 10))
    X[:, [2, 5]] += np.array([[0, 0], [5, 1], [1, 5]])[group]
    return table(named(X.round(3)), tasks, group)


def units(random):
    """Each data set has zeros and units of its own in all columns."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    Z = clusters(random, tasks, group, 5, 5)
    zero = 3 * random.normal(size=(4, 5))
    unit = np.exp(0.8 * random.normal(size=(4, 5)))
    return table(named((zero[tasks] + unit[tasks] * Z).round(3)), tasks, group)


def shifted_shares(random):
    """Each data set has zeros of its own and other shares of the groups: its mean is no guide."""
    tasks = np.repeat(np.arange(4), 150)
    of_task = random.dirichlet(np.ones(3), 4) + 0.05
    group = np.array([random.choice(3, p=of_task[t] / of_task[t].sum()) for t in tasks])
    zero = 2 * random.normal(size=(4, 5))
    X = zero[tasks] + centers(random, 3, 5, 5)[group] + random.normal(size=(len(tasks), 5))
    return table(named(X.round(3)), tasks, group)


KINDS = {
    "many small data sets": many_small,
    "one large data set": one_large,
    "more columns than rows": wide,
    "unequal groups": unequal,
    "eight groups": eight_groups,
    "groups in some data sets": subsets,
    "long clusters": elongated,
    "unequal spread": spreads,
    "half moons": moons,
    "skewed numbers": skewed,
    "heavy tails": heavy_tails,
    "faulty entries": faulty,
    "redundant columns": redundant,
    "one telling column": one_of_ten,
    "two telling columns": two_of_ten,
    "own units": units,
    "own zeros, other shares": shifted_shares,
}
