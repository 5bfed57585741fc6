"""Studies for tests of reports: made by hand, so that no method is needed, or small fits."""

import dataclasses
import functools
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

import kinfolk as kf
from kinfolk import measures
from kinfolk.choosing import changes
from kinfolk.datasets import makers
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.report.study import Result, Study
from kinfolk.tables import RelatedData

TASKS = ("cornell", "texas", "wisconsin")
KINDS = ((0, 1, 2), (0, 1, 3), (0, 1, 2, 4))
TOPICS = (
    "course lecture homework exam syllabus grading semester reading",
    "student advisor graduate hobby resume thesis friends homepage",
    "project laboratory research grant software publications system goal",
    "staff office phone secretary contact hours building fax",
    "faculty professor conference journal award committee editor tenure",
)


def _rows(kind, rng):
    """Make X (n, d) whose row i is of kind[i], and column names."""
    words = tuple(word for topic in TOPICS for word in topic.split())
    rates = np.full((5, len(words)), 0.15)
    for topic in range(5):
        rates[topic, 8 * topic : 8 * topic + 8] = np.linspace(2.5, 0.8, 8)
    return rng.poisson(rates[kind]).astype(float), words


def _table(looks, kind, rng):
    X, words = _rows(kind, rng)
    if looks == "terms":
        return sp.csr_array(X), words
    if looks == "numbers":
        return X[:, ::4] + rng.standard_normal((len(X), 10)), tuple(
            f"size {j} (cm)" for j in range(10)
        )
    names = tuple(f"pixel_{r}_{c}" for r in range(8) for c in range(8))
    return np.pad(X, ((0, 0), (12, 12))), names


def _scores(rng, better):
    measures = {"accuracy": 0.6, "nmi": 0.4, "silhouette": 0.1}
    return {
        measure: {task: float(base + better + 0.05 * rng.random()) for task in TASKS}
        for measure, base in measures.items()
    }


def make(looks="terms", truth=True, relatedness=True, rows=180, names=None, tasks=TASKS):
    rng = np.random.default_rng(0)
    where = np.sort(rng.integers(0, 3, rows))
    matched = np.array([KINDS[t][i] for t, i in zip(where, rng.integers(0, 3, rows), strict=True)])
    matched[(where == 2) & (rng.random(rows) < 0.2)] = 4
    X, columns = _table(looks, matched, rng)
    clusters = [
        (task, c) for task, kinds in zip(tasks, KINDS, strict=True) for c in range(len(kinds))
    ]
    groups = np.array([kind for kinds in KINDS for kind in kinds])
    links = np.clip((groups[:, None] == groups) * 0.9 - 0.2 * rng.random((10, 10)), -1, 1)
    alone = np.array([np.sum(groups == group) == 1 for group in groups])
    labels = np.array([KINDS[t].index(kind) for t, kind in zip(where, matched, strict=True)])
    traces = {
        task: 100 + 50 * np.exp(-0.5 * (t + 1) * np.arange(12 + 6 * t))
        for t, task in enumerate(tasks)
    }
    model = SimpleNamespace(
        labels_=labels,
        matched_labels_=matched,
        task_names_=np.array(tasks),
        clusters_=clusters,
        cluster_links_=links,
        matched_clusters_=groups,
        match_strength_=np.where(alone, np.nan, 0.82),
        n_iter_=24,
        converged_=True,
        objective_traces_=traces,
    )
    if relatedness:
        model.task_relatedness_ = np.array([[1, 0.42, 0.18], [0.31, 1, 0.07], [0.25, 0.12, 1]])
    data = RelatedData(
        name="University web pages",
        tasks=np.array(tasks)[where],
        row_ids=np.arange(rows),
        X=None if looks == "terms" else X,
        feature_names=() if looks == "terms" else columns if names is None else tuple(names),
        texts=("…",) * rows if looks == "terms" else None,
        target=matched.astype(str) if truth else None,
        origin="Made by a formula; free to use.",
    )
    ways = {"alone": 0.0, "pooled": -0.03, "together": 0.03}
    results = [
        Result(name, f"MTCFIR, {name}", labels, 0.31, "", _scores(rng, better))
        for name, better in ways.items()
    ]
    return Study(
        data=data,
        X=X,
        feature_names=columns if names is None else tuple(names),
        model=model,
        method="mtcfir",
        relation="several tasks",
        results=results,
        settings={"n_clusters": "3, 3, 4", "random_state": "7", "numpy": "2.4.0"},
        command="kinfolk run pages.csv --method mtcfir --seed 7",
        notes=["The tables share 36 of 40 columns."],
    )


def _judged(data, **labels):
    """Return a scored result for each strategy."""
    return [
        Result(
            name.replace("_", " ").replace("k means", "k-means"),
            f"{name}, as fitted",
            found,
            0.01,
            scores={
                "accuracy": measures.per_task(measures.accuracy, data.tasks, data.target, found),
                "silhouette": measures.per_task(measures.silhouette, data.tasks, data.X, found),
            },
        )
        for name, found in labels.items()
    ]


def _study(data, model, method, relation, **labels):
    return Study(
        data=data,
        X=data.X,
        feature_names=data.feature_names,
        model=model,
        method=method,
        relation=relation,
        results=_judged(data, **labels),
        settings={"seed": "0"},
    )


def _fit(estimator, data, k=3):
    return PerTask(estimator, k).fit(data.X, tasks=data.tasks)


def fit_relations(evenness=0.01):
    """Fit MTCMRL to two tasks in which two of three clusters are alike."""
    data = makers.make_related_blobs(60, 4, random_state=3)
    model = kf.MTCMRL(3, evenness=evenness, n_init=2, max_iter=40, random_state=0).fit(
        data.X, tasks=data.tasks
    )
    plain = _fit(None, data).labels_
    return _study(data, model, "mtcmrl", "several tasks", alone=plain, together=model.labels_)


def fit_views(tasks=1):
    """Fit CoMVCF to three views; "loud" separates clusters and "mute" does not."""
    data = makers.make_related_blobs(60, 4, n_tasks=tasks, random_state=1)
    noise = np.random.default_rng(0).standard_normal((len(data), 3))
    X, views = kf.join({"loud": data.X[:, :2], "low": data.X[:, 2:], "mute": 9 * noise})
    data = dataclasses.replace(
        data, X=X, feature_names=tuple(f"x{j}" for j in range(7)), views=views
    )
    model = _fit(kf.CoMVCF(views=views, n_init=1, max_iter=20, random_state=0), data)
    single = {
        f"view_{view}": _fit(None, dataclasses.replace(data, X=X[:, columns])).labels_
        for view, columns in views.items()
    }
    plain = _fit(None, data).labels_
    return _study(
        data,
        model,
        "comvcf",
        "several views",
        **single,
        pooled=plain,
        together=model.labels_,
        k_means_alone=plain,
    )


def fit_knowledge(centers=((0.0, 0.0), (6.0, 0.0), (0.0, 9.0)), tasks=1, **parameters):
    """Fit KT-MEC to blobs at (0, 0), (6, 0) and (0, 6), for each task."""
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1, 2], 20 * tasks)
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[truth] + rng.standard_normal((len(truth), 2))
    data = RelatedData(
        name="Wards",
        tasks=np.repeat([f"ward {t}" for t in range(tasks)], 60),
        row_ids=np.arange(len(truth)),
        X=X,
        feature_names=("pulse", "fever"),
        target=truth.astype(str),
    )
    known = kf.Knowledge(centers, [40.0 + c for c in range(len(centers))], ("pulse", "fever"))
    with_it = kf.KTMEC(3, known, temperature=1.0, random_state=0, **parameters)
    alone = kf.KTMEC(3, temperature=1.0, random_state=0)
    model, without = _fit(with_it, data), _fit(alone, data).labels_
    relation = "another site's centers"
    return _study(data, model, "kt-mec", relation, alone=without, together=model.labels_)


def fit_labels(truth=True):
    """Fit LSSTTC from a labelled task to one with ten known labels."""
    data = makers.make_related_blobs(40, 5, shared=3, random_state=5)
    y = data.target.astype(object)
    y[50:] = -1
    model = kf.LSSTTC(random_state=0).fit(data.X, y.astype(str), tasks=data.tasks)
    plain = _fit(None, data).labels_
    study = _study(
        data,
        model,
        "lssttc",
        "tasks with labels",
        alone=plain,
        together=model.labels_,
        k_means_alone=plain,
    )
    return (
        study if truth else dataclasses.replace(study, data=dataclasses.replace(data, target=None))
    )


def fit_one():
    """Fit soft k-means to each of two data sets by itself."""
    data = makers.make_related_blobs(30, 3, random_state=2)
    model, plain = _fit(kf.SoftKMeans(random_state=0), data), _fit(None, data).labels_
    return _study(
        data, model, "soft-kmeans", "one data set", alone=model.labels_, k_means_alone=plain
    )


def fit_methods(tasks=2):
    """Fit few methods to few data sets, without the strategy "pooled"."""
    data = makers.make_related_blobs(20, 4, n_tasks=tasks, random_state=0)
    families = ["kmeans", "mec", "pooled"]
    model = kf.Kinfolk(3, families=families, random_state=0).fit(data.X, tasks=data.tasks)
    answers = {"alone": model.own_labels_, "together": model.labels_}
    return _study(data, model, "kinfolk", "several methods", **answers)


OWN_METHODS = ("kmeans", "symnmf", "graph", "soft-kmeans", "mec")
JOINT_METHODS = ("pooled", "mtcfir", "lssmtc", "mtcmrl")


def _record(study, task, changed=0, **given):
    """Return a record of `guard_`; the first rows of the task have changed."""
    rows = np.flatnonzero(study.data.tasks == task)
    record = {
        "task": task,
        "agreement": 0.8,
        "modularity": 0.61,
        "own_modularity": 0.6,
        "cross_task_agreement": 0.0,
        "own_cross_task_agreement": 0.0,
        "known_rows": 0,
        "combiner": "voting",
        "own_combiner": "voting",
        "source": "all",
        "null_modularity": 0.1,
        "has_clusters": True,
        "joint_share": 0.25,
        "agreement_with_own_runs": 0.5,
        "agreement_with_joint_runs": 0.7,
        "own_runs_only": False,
        "has_second_answer": False,
        "cases": 0,
        "better_cases": 0,
        "changed_rows": rows[:changed],
        "refused_rows": [],
        "evidence": float("nan"),
        "support": "shape" if changed else "",
        "n_rows": len(rows),
        "has_cross_task_support": False,
        **given,
    }
    return {**record, "meaning": changes.describe(record)}


def runs_of(tasks, starts=1, families=(*OWN_METHODS, *JOINT_METHODS), echo=0.0):
    """Return records of `evidence_`; every fourth start was kept."""
    rng = np.random.default_rng(0)
    return [
        {
            "task": task,
            "family": family,
            "setting": "noise 0.5" if family == "mtcfir" else "",
            "representation": "raw",
            "start": start,
            "joint": family in JOINT_METHODS,
            "mean_agreement": rng.random(),
            "modularity": 0.6 * rng.random(),
            "cross_task_agreement": echo,
            "score": 2 * rng.random(),
            "kept": start % 4 == 0,
            "seconds": 0.25 * (start + 1),
        }
        for task in tasks
        for family in families
        for start in range(starts)
    ]


def make_chosen(records=({}, {}, {}), runs=None, left_out=(), **given):
    """Make a study of three tasks whose model chose among runs."""
    study = make("numbers", **given)
    names = study.model.task_names_
    study.model.guard_ = [_record(study, t, **r) for t, r in zip(names, records, strict=True)]
    study.model.evidence_ = runs_of(names) if runs is None else runs
    study.model.second_labels_ = {}
    study.model.guard = "report"
    study.model.left_out_ = list(left_out)
    return study


FITS = {
    "several tasks": fit_relations,
    "several views": fit_views,
    "another site's centers": fit_knowledge,
    "tasks with labels": fit_labels,
    "one data set": fit_one,
    "several methods": fit_methods,
}


@functools.cache
def fitted(relation, **given):
    """Fit the study of a relation once in a session; callers must not change it."""
    return FITS[relation](**given)
