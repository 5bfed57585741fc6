"""Classifies a text task from another's labels, by several methods.

Accuracy of naive Bayes, CoCC and LSSTTC by defaults on the rows of the second task of each pair,
and what CoCC's guard sees without their labels: how many classes are those of naive Bayes, and how
far two halves of the words agree on the classes of either. A star: the guard warns.

Tables are counts of words without stop words; LSSTTC has texts as `Preparation()` makes them,
weighted and at unit length. Classes of 20 Newsgroups are its first levels (comp, rec, sci); those
of Reuters are ours: economy (gnp, cpi, ipi), metals (gold, iron-steel, copper) and others (cocoa,
nat-gas, coffee).
"""

import argparse
import itertools
import warnings

import numpy as np
import scipy.sparse as sp

from benchmarks import text_tables
from kinfolk.datasets import load
from kinfolk.errors import SharingWarning
from kinfolk.methods.transfer.coclustering import CoCC
from kinfolk.methods.transfer.shared_subspace import LSSTTC
from kinfolk.preparation import Preparation

TERMS = {"webkb4": 2500, "20newsgroups": 3000, "reuters": 5000}
SETS = ("compvssci", "recvstalk", "webkb4", "20newsgroups", "reuters",
        "newsgroups-recvstalk-500", "newsgroups-compvssci-500")  # fmt: skip
GROUPS = {
    "reuters": {"gnp": "economy", "cpi": "economy", "ipi": "economy", "gold": "metals",
                "iron-steel": "metals", "copper": "metals", "cocoa": "others",
                "nat-gas": "others", "coffee": "others"},
}  # fmt: skip
"""Data set -> class -> the class that takes its place."""


def main():
    """Print the table as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--only", nargs="+", default=SETS)
    given = parser.parse_args()
    rows = [["set", "from", "to", "naive Bayes", "CoCC", "LSSTTC", "CoCC = naive Bayes",
             "halves, naive Bayes", "halves, CoCC"]]  # fmt: skip
    for name in given.only:
        for case in pairs(name, given.data):
            rows.append([name, *judged(*case)])
            print(" ".join(rows[-1]), flush=True)
    print(text_tables.markdown(rows))


def pairs(name, folder):
    """Both task names, counts, weights, classes, and the positions of the rows, of each pair."""
    data = load(name, folder)
    X = data.X
    weighted = data.X
    if data.texts is not None:
        terms = TERMS.get(name, 2000)
        X = Preparation(text_weighting="counts", n_terms=terms).fit_transform(data)
        weighted = Preparation().fit_transform(data)
    X = sp.csr_array(X)
    weighted = sp.csr_array(weighted)
    target = np.array([GROUPS.get(name, {}).get(own, own) for own in data.target])
    if name == "20newsgroups":
        target = np.array([own.split(".")[0] for own in target])
    for a, b in itertools.permutations(data.task_names, 2):
        common = set(target[data.tasks == a]) & set(target[data.tasks == b]) - {"talk"}
        common = common if name == "20newsgroups" else set(target)
        rows = [np.flatnonzero((data.tasks == t) & np.isin(target, list(common))) for t in (a, b)]
        yield a, b, X, weighted, target, rows


def judged(a, b, X, weighted, target, rows):
    """One row of the table: accuracy of each method from task a to task b."""
    both = np.concatenate(rows)
    new = np.arange(len(both)) >= len(rows[0])
    y = np.where(new, "-1", target[both])
    tasks = np.where(new, b, a)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = CoCC(random_state=0).fit(X[both], y, tasks=tasks)
    doubted = any(issubclass(warning.category, SharingWarning) for warning in caught)
    record = model.guard_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LSSTTC(random_state=0).fit(weighted[both], y, tasks=tasks)
    found = [
        *(np.mean(labels[new] == target[rows[1]])
          for labels in (model.naive_bayes_, model.transduction_, other.transduction_)),
        *(record[key] for key in ("same_as_naive_bayes", "agreement_of_naive_bayes", "agreement")),
    ]  # fmt: skip
    cells = [f"{value:.3f}".removeprefix("0") for value in found]
    return [a, b, *cells[:-1], cells[-1] + ("*" if doubted else "")]


if __name__ == "__main__":
    main()
