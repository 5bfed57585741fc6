"""The cases that are measured: methods on data of the papers' sizes and beyond."""

import json
from dataclasses import dataclass, field

from benchmarks import converging, sweeping
from benchmarks.sources import MFEAT, TWO_VIEWS

METHODS = {
    method.__name__: method()
    for method in (
        converging.MTCFIR,
        converging.SymNMF,
        sweeping.MTCMRL,
        sweeping.KTMEC,
        sweeping.Lloyd,
        sweeping.CoMVCF,
        sweeping.LSSMTC,
    )
}


@dataclass(frozen=True)
class Case:
    """One case: a method with settings and data; one row of the tables.

    Attributes
    ----------
    title : what it is
    method : a name of `METHODS`
    source : a name of `SOURCES`
    settings : of both sides; cases of equal method, source and settings share their literal run
    variant : settings of our side alone
    hours : whether the literal form takes so long, or so much, that it is not run
    """

    title: str
    method: str
    source: str
    settings: dict
    variant: dict = field(default_factory=dict)
    hours: bool = False

    @property
    def literal_key(self):
        """Key of everything that the literal run depends on, for caching."""
        return self.method, self.source, json.dumps(self.settings)

    def literal(self, X, tasks):
        """Run the printed formulas and return the answer."""
        return METHODS[self.method].literal(X, tasks, self.settings)

    def ours(self, X, tasks):
        """Run Kinfolk's estimator; return the answer with sweeps and seconds of steps."""
        return METHODS[self.method].ours(X, tasks, self.settings | self.variant)

    def products(self, X, tasks, sweeps):
        """Seconds of the unavoidable matrix products, before and during the sweeps."""
        return METHODS[self.method].products(X, tasks, self.settings, sweeps)

    def held(self, X, tasks):
        """Megabytes of the arrays that the literal form keeps."""
        return int(METHODS[self.method].held(X, tasks, self.settings)) * 8 / 2**20


BLOBS = {"k": 10, "n_init": 1}
CROWD = {"k": 10, "sweeps": 20}
PAIR = {"k": 10, "widths": [MFEAT[name] for name in TWO_VIEWS]}
ALL = {"k": 10, "widths": [*MFEAT.values()]}

FULL = [
    Case("MTCFIR, WebKB4 (n 1041, d 2500)", "MTCFIR", "webkb4", {"k": 4, "n_init": 10}),
    Case("MTCFIR, T 4, n 5000 each, d 500", "MTCFIR", "blobs", BLOBS),
    Case("MTCFIR, the same, weights from 500 rows", "MTCFIR", "blobs", BLOBS, {"weight_rows": 500}),
    Case(
        "MTCFIR, 200 rows, single precision",
        "MTCFIR",
        "blobs",
        BLOBS,
        {"weight_rows": 200, "precision": "single"},
    ),
    Case("SymNMF, WebKB4", "SymNMF", "webkb4", {"k": 4, "n_init": 10}),
    Case("SymNMF, n 20000, d 5000, 1 % counts", "SymNMF", "documents", BLOBS),
    Case("MTCMRL, WebKB4, 20 sweeps", "MTCMRL", "webkb4-unit", {"k": 4, "sweeps": 20}),
    Case("MTCMRL, CompvsSci (n 3702, d 2000)", "MTCMRL", "newsgroups-unit", {"k": 2, "sweeps": 2}),
    Case(
        "MTCMRL, T 4, n 10410, d 2500",
        "MTCMRL",
        "webkb4-tenfold",
        {"k": 4, "sweeps": 20},
        hours=True,
    ),
    Case(
        "MTCMRL, T 2, n 37020, d 2000",
        "MTCMRL",
        "newsgroups-tenfold",
        {"k": 2, "sweeps": 20},
        hours=True,
    ),
    Case("KT-MEC, n 600, d 2", "KTMEC", "crowd-tiny", {"k": 4, "sweeps": 50}),
    Case("KT-MEC, n 1000000, d 50", "KTMEC", "crowd", CROWD),
    Case("KT-MEC beside Lloyd, double precision", "Lloyd", "crowd", CROWD),
    Case("KT-MEC beside Lloyd, single precision", "Lloyd", "crowd-single", CROWD),
    Case("Co-MVCF, mfeat, 2 views (n 2000)", "CoMVCF", "mfeat-2", PAIR | {"sweeps": 50}),
    Case("Co-MVCF, mfeat, 6 views (n 2000)", "CoMVCF", "mfeat-6", ALL | {"sweeps": 20}),
    Case("Co-MVCF, n 10000, 2 views", "CoMVCF", "mfeat-2-fivefold", PAIR | {"sweeps": 20}),
    Case(
        "Co-MVCF, n 20000, 2 views", "CoMVCF", "mfeat-2-tenfold", PAIR | {"sweeps": 20}, hours=True
    ),
    Case(
        "LSSMTC, WebKB4, explained",
        "LSSMTC",
        "webkb4-unit",
        {"k": 4, "subspace": "explained", "sweeps": 5},
    ),
    Case(
        "LSSMTC, CompvsSci, published (16)",
        "LSSMTC",
        "newsgroups-unit",
        {"k": 2, "subspace": "published", "sweeps": 5},
    ),
    Case(
        "LSSMTC, n 2000, d 10000, released",
        "LSSMTC",
        "tasks-wide",
        {"k": 4, "subspace": "released", "sweeps": 3},
    ),
    Case(
        "LSSMTC, n 2000, d 10000, explained",
        "LSSMTC",
        "tasks-wide",
        {"k": 4, "subspace": "explained", "sweeps": 20},
        hours=True,
    ),
    Case(
        "LSSMTC, n 20000, d 25000, explained",
        "LSSMTC",
        "tasks-wider",
        {"k": 4, "subspace": "explained", "sweeps": 20},
        hours=True,
    ),
]

SMALL = {"k": 5, "n_init": 1}

QUICK = [
    Case("MTCFIR, T 4, n 600 each, d 100", "MTCFIR", "blobs-small", SMALL),
    Case(
        "MTCFIR, the same, weights from 200 rows",
        "MTCFIR",
        "blobs-small",
        SMALL,
        {"weight_rows": 200},
    ),
    Case("SymNMF, n 2000, d 1000, 1 % counts", "SymNMF", "documents-small", BLOBS),
    Case("MTCMRL, T 2, n 600, d 800", "MTCMRL", "tasks-small", {"k": 4, "sweeps": 3}),
    Case("KT-MEC, n 20000, d 20", "KTMEC", "crowd-small", CROWD),
    Case("KT-MEC beside Lloyd, n 20000, d 20", "Lloyd", "crowd-small", CROWD),
    Case("Co-MVCF, mfeat, 2 views (n 2000)", "CoMVCF", "mfeat-2", PAIR | {"sweeps": 10}),
    Case(
        "LSSMTC, T 2, n 600, d 800, explained",
        "LSSMTC",
        "tasks-small",
        {"k": 4, "subspace": "explained", "sweeps": 5},
    ),
]
