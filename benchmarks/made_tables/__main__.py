"""Compares the default answer on made tables of many kinds with a few lines of scikit-learn.

    python -m benchmarks.made_tables --runs FOLDER [--only KIND ...] [--seeds 6] [--first SEED]
                                     [--refresh]
    python -m benchmarks.made_tables --runs FOLDER --markdown FILE

The first makes the runs that are not yet in the folder, as `benchmarks.tables` does; --refresh
makes those of Kinfolk anew. The second writes the tables of all that are there. Every seed is
another draw. True numbers of clusters are given, nothing else.
"""

from benchmarks import folders, tables
from benchmarks.made_tables import kinds

CONTENDERS = ("k-means, alone", "k-means, pooled", "GMM tied, alone", "GMM full, alone")
PARTS = {"Draws that shaped rules": range(6), "Draws that decide nothing": range(6, 100)}
"""Title -> seeds. Rules were chosen on the first draws; on the others nothing was."""


def main():
    """Make the runs, then write the tables."""
    given = tables.parser(__doc__, kinds.KINDS, CONTENDERS, seeds=6).parse_args()
    folders.work(given, lambda given: tables.make(given, _load), page)


def _load(name, data, seed):
    return kinds.draw(name, seed)


def page(folder, before=None):
    """Markdown tables of both measures for shaping and further draws, and a list of the kinds."""
    parts = []
    for part, seeds in PARTS.items():
        runs = tables.Runs(folder, kinds.KINDS, CONTENDERS, seeds)
        names = [name for name in kinds.KINDS if (name, "Kinfolk") in runs.found]
        if names:
            parts += [f"## {part}"]
            for measure, title in tables.MEASURES.items():
                parts += [f"### Adjusted Rand index {title}: {part.lower()}"]
                parts += tables.compared(runs, names, measure)
    described = "\n".join(f"- *{name}*: {draw.__doc__}" for name, draw in kinds.KINDS.items())
    return "\n\n".join([*parts, "## The kinds", described]) + "\n"


if __name__ == "__main__":
    main()
