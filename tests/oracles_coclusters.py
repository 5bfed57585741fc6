"""Literal loops of information-theoretic co-clustering: one number at a time, as the papers print.

A table is a dense array of numbers >= 0; `rows` and `columns` name the cluster of each.
"""

import itertools
import math


def joint(X):
    """Joint distribution: the table divided by its sum."""
    total = sum(map(sum, X.tolist()))
    return [[value / total for value in row] for row in X.tolist()]


def information(p):
    """Mutual information of rows and columns."""
    of_rows = [sum(row) for row in p]
    of_columns = [sum(column) for column in zip(*p, strict=True)]
    found = 0.0
    for i, row in enumerate(p):
        for j, value in enumerate(row):
            if value > 0:
                found += value * math.log(value / (of_rows[i] * of_columns[j]))
    return found


def blocks(p, rows, columns, k, m):
    """Sums of the blocks of row and column clusters."""
    B = [[0.0] * m for _ in range(k)]
    for i, j in itertools.product(range(len(p)), range(len(p[0]))):
        B[rows[i]][columns[j]] += p[i][j]
    return B


def approximation(p, rows, columns, k, m):
    """Co-cluster approximation of the joint distribution, equation (6)."""
    B = blocks(p, rows, columns, k, m)
    of_rows = [sum(row) for row in p]
    of_columns = [sum(column) for column in zip(*p, strict=True)]
    in_r = [sum(x for x, r in zip(of_rows, rows, strict=True) if r == c) for c in range(k)]
    in_c = [sum(z for z, r in zip(of_columns, columns, strict=True) if r == c) for c in range(m)]
    found = []
    for i, r in enumerate(rows):
        found.append([])
        for j, c in enumerate(columns):
            if in_r[r] == 0 or in_c[c] == 0:
                found[i].append(0.0)
            else:
                found[i].append(B[r][c] * of_rows[i] / in_r[r] * of_columns[j] / in_c[c])
    return found


def divergence(a, b):
    """Kullback-Leibler divergence; infinite where b lacks mass that a has."""
    found = 0.0
    for x, y in zip(a, b, strict=True):
        if x > 0:
            found += x * math.log(x / y) if y > 0 else math.inf
    return found


def loss(p, rows, columns, k, m):
    """Mutual information lost by co-clustering."""
    return information(p) - information(blocks(p, rows, columns, k, m))


def share(values):
    """Divide values by their sum; None for a sum of 0."""
    total = sum(values)
    return None if total == 0 else [value / total for value in values]


def row_costs(p, i, rows, columns, k, m):
    """Cost of row i in each row cluster, equation (14).

    p~(z | x~) = p(z~ | x~) p(z | z~); infinite for an empty cluster.
    """
    B = blocks(p, rows, columns, k, m)
    of_columns = [sum(column) for column in zip(*p, strict=True)]
    in_c = [
        sum(z for z, c in zip(of_columns, columns, strict=True) if c == own) for own in range(m)
    ]
    own = share(p[i])
    costs = []
    for r in range(k):
        weights = share(B[r])
        if own is None or weights is None:
            costs.append(0.0 if own is None else math.inf)
            continue
        model = [
            weights[c] * (of_columns[j] / in_c[c] if in_c[c] else 0.0)
            for j, c in enumerate(columns)
        ]
        costs.append(sum(p[i]) * divergence(own, model))
    return costs


def column_costs(tables, weights, j, rows, columns, ks, m):
    """Cost of column j in each column cluster, equation (16)."""
    costs = [0.0] * m
    for p, weight, own_rows, k in zip(tables, weights, rows, ks, strict=True):
        turned = [list(column) for column in zip(*p, strict=True)]
        for c, cost in enumerate(row_costs(turned, j, columns, own_rows, m, k)):
            costs[c] += weight * cost
    return costs
