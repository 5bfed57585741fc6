"""Made tables of money, counts, shares and percentages."""

import numpy as np

from benchmarks.made_tables.parts import centers, clusters, members, named, table


def lognormal(random):
    """Five amounts of money, log-normal: a few rows have most of each column."""
    tasks, group = members(random, 4 * [120], [4, 3, 2])
    spent = np.exp(3 + 0.8 * clusters(random, tasks, group, 5, 5, shift=0.3))
    return table(named(spent.round(2), "spend"), tasks, group)


def retail(random):
    """Spending in eight departments, 0 where nothing was bought: where says more than how much."""
    tasks, group = members(random, 4 * [150], [4, 3, 2, 2])
    probability = random.choice([0.15, 0.85], (4, 8))
    level = random.normal(size=(4, 8))
    buys = random.uniform(size=(len(tasks), 8)) < probability[group]
    spent = np.exp(3 + 0.7 * level[group] + 0.6 * random.normal(size=buys.shape))
    return table(named(np.where(buys, spent, 0).round(2), "spend"), tasks, group)


def nested_spend(random):
    """Money in six kinds, with zeros: its shares tell the groups apart, the totals do not."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    usual = random.dirichlet(np.ones(6), 3)
    total = np.exp(5 + 0.7 * random.normal(size=len(tasks)))
    shares = np.array([random.dirichlet(8 * usual[g] + 0.05) for g in group])
    shares[shares < 0.03] = 0
    return table(named((shares * total[:, None]).round(2), "cat"), tasks, group)


def scaled_rows(random):
    """Eight amounts of rows of very different size: the ratios tell the groups apart."""
    tasks, group = members(random, 3 * [120], [1, 1, 1])
    profile = np.exp(random.normal(size=(3, 8)))
    size = np.exp(0.8 * random.normal(size=(len(tasks), 1)))
    noise = np.exp(0.3 * random.normal(size=(len(tasks), 8)))
    return table(named((100 * profile[group] * size * noise).round(1), "sales"), tasks, group)


def hours(random):
    """Amounts of 24 hours, like those of the hours beside them; rows differ in their totals."""
    tasks, group = members(random, 3 * [120], [1, 1, 1])
    profile = np.abs(random.normal(size=(3, 24)))
    profile = profile + np.roll(profile, 1, 1) + np.roll(profile, -1, 1)
    size = np.exp(0.5 * random.normal(size=(len(tasks), 1)))
    noise = np.exp(0.35 * random.normal(size=(len(tasks), 24)))
    return table(named((profile[group] * size * noise).round(2), "h"), tasks, group)


def shares(random):
    """Six shares that sum to 1, so that each column follows from the others."""
    tasks, group = members(random, 4 * [80], [1, 1, 1])
    usual = 25 * random.dirichlet(np.ones(6) * 2, 3)
    drawn = np.array([random.dirichlet(usual[g] + 0.5) for g in group])
    return table(named(drawn.round(3), "share"), tasks, group)


def percent(random):
    """Six percentages, cut at 0 and 100, where many rows then stand."""
    tasks, group = members(random, 3 * [150], [1, 1, 1])
    means = centers(random, 3, 6, 3.5)
    level = means[group] + 0.8 * random.normal(size=(len(tasks), 6))
    percentages = np.clip(50 + 28 * level, 0, 100).round()
    return table(named(percentages, "pct"), tasks, group)


def counts(random):
    """Eight Poisson counts of a few events each: the larger a mean, the larger its variance."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    rate = np.exp(0.9 * random.normal(size=(3, 8)) + 0.5)
    return table(named(random.poisson(rate[group]), "visits"), tasks, group)


def rare(random):
    """Ten Poisson counts that mostly are 0 or 1."""
    tasks, group = members(random, 4 * [150], [1, 1, 1])
    rate = np.exp(random.normal(size=(3, 10)) - 0.4)
    return table(named(random.poisson(rate[group]), "claims"), tasks, group)


def baskets(random):
    """Counts of 40 products that mostly are 0; some customers buy more of everything."""
    tasks, group = members(random, 4 * [120], [1, 1, 1])
    rate = np.exp(0.8 * random.normal(size=(3, 40)) - 0.8)
    size = np.exp(0.5 * random.normal(size=(len(tasks), 1)))
    return table(named(random.poisson(rate[group] * size), "p"), tasks, group)


KINDS = {
    "amounts of money": lognormal,
    "purchases with zeros": retail,
    "money in six kinds": nested_spend,
    "rows of own size": scaled_rows,
    "hourly profiles": hours,
    "shares of a whole": shares,
    "percentages": percent,
    "counts": counts,
    "rare counts": rare,
    "baskets of products": baskets,
}
