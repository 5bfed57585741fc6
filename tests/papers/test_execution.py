"""A plan is run once, side by side, through kills and faults, and every row is as by hand."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial

import joblib
import numpy as np
import pytest
from sklearn.cluster import KMeans
from tests.papers.made_runs import BLOBS, blobs

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.errors import InputError, MissingDataError
from kinfolk.numerics import common_features
from kinfolk.papers import execution, plan
from kinfolk.papers.store import RunSpec, Store
from kinfolk.running import progress

DIGITS = {"n_rows": [40, 30]}


def runs(n=4, method="kmeans", **settings):
    settings = {"parameters": {"n_init": 1}, "data_options": DIGITS} | settings
    return [RunSpec("digits-two-sources", method, "alone", seed, **settings) for seed in range(n)]


def test_repeats_share_steps_and_find_what_each_finds_alone(store):
    runs = [
        RunSpec("blobs", "mtcfir", seed=seed, parameters={"neighbors": share, "n_init": 1})
        for share in (0.3, 0.6)
        for seed in (0, 1, 2)
    ]
    execution.execute(runs, store, load=blobs)
    for run, row in zip(runs, store.runs(), strict=True):
        model = kf.MTCFIR(3, **run.parameters, random_state=run.seed)
        np.testing.assert_array_equal(
            store.labels(row.key), model.fit(BLOBS.X, tasks=BLOBS.tasks).labels_
        )
        assert row.outcome.objective == model.objective_trace_[-1]


def test_runs_of_a_grid_share_steps_and_another_method_starts_without_any(store, monkeypatch):
    """The time of a method's first run counts every step, also those that another method made."""
    learned = []
    fit = common_features.fit

    def counted(*args):
        learned.append(args[1:])
        return fit(*args)

    monkeypatch.setattr(common_features, "fit", counted)
    runs = [
        RunSpec("blobs", method, parameters={"neighbors": share, "n_init": 1})
        for method in ("mtcfir", "mtcfir-nr")
        for share in (0.3, 0.6)
    ]
    execution.execute(runs, store, load=blobs)
    assert len(store.runs(status="done")) == 4
    assert len(learned) == 2


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (RunSpec("blobs", "kmeans", "together"), "one data set at a time"),
        (RunSpec("blobs", "kmeans", "sideways"), "no strategy 'sideways'"),
        (RunSpec("blobs", "kmeanz"), "did you mean 'kmeans'"),
        (RunSpec("blobs", "mtcfir", parameters={"spice": 1}), "no parameter 'spice'"),
        (RunSpec("blobs", "mtcfir", n_clusters=99), "only 20 rows"),
        (RunSpec("blobs", "mtcfir", preparation={"spice": 1}), "no preparation"),
        (RunSpec("blobs", "mtcfir", preparation={"scale": "huge"}), "scale='huge'"),
    ],
)
def test_what_cannot_be_run_is_refused_and_the_plan_goes_on(store, run, why):
    fine = RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1})
    tally = execution.execute([run, fine], store, load=blobs)
    assert tally == {"refused": 1, "done": 1}
    assert why in store.runs(status="refused")[0].outcome.error
    assert execution.execute([run, fine], store, load=blobs) == Counter()


def test_a_fault_is_recorded_and_tried_again(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(KMeans, "fit", lambda *_, **__: 1 / 0)
        assert execution.execute(runs(2), store) == {"failed": 2}
    assert store.runs()[0].outcome.error == "ZeroDivisionError: division by zero"
    assert execution.execute(runs(2), store) == {"done": 2}


def test_a_data_set_that_is_not_there_fails_until_it_is(store):
    def missing(name):
        raise MissingDataError("There are no blobs.")

    run = RunSpec("blobs", "kmeans", "alone", parameters={"n_init": 1})
    assert execution.execute([run], store, load=missing) == {"failed": 1}
    assert store.runs()[0].outcome.error == "MissingDataError: There are no blobs."
    assert execution.execute([run], store, load=blobs) == {"done": 1}


def test_nothing_is_run_twice(store, monkeypatch):
    assert execution.execute(runs(3) + runs(3), store) == {"done": 3}
    before = store.runs()
    monkeypatch.setattr(KMeans, "fit", lambda *_, **__: pytest.fail("run again"))
    assert execution.execute(runs(3), store) == Counter()
    assert store.runs() == before


def test_a_data_set_is_loaded_once_to_know_it_and_once_in_each_process(store):
    loaded = []

    def counting(name):
        loaded.append(name)
        return blobs(name)

    many = [
        RunSpec("blobs", "kmeans", "alone", seed, parameters={"n_init": 1}) for seed in range(5)
    ]
    assert execution.execute(many, store, load=counting) == {"done": 5}
    assert loaded == ["blobs", "blobs"]


def test_runs_side_by_side_find_the_same_as_one_after_the_other(tmp_path):
    found = []
    for jobs in (1, 2):
        with Store(tmp_path / f"{jobs}.sqlite") as store:
            assert execution.execute(runs(), store, jobs=jobs) == {"done": 4}
            rows = sorted(store.runs(), key=lambda row: row.spec.seed)
            found.append([(store.labels(r.key).tolist(), r.outcome.scores) for r in rows])
    assert found[0] == found[1]


def test_progress_is_told(store):
    reported = []
    with progress.listening(lambda *what: reported.append(what)):
        execution.execute(runs(2), store)
    assert [w for w in reported if w[0] == "running"] == [("running", i, 2) for i in range(3)]


def test_a_run_in_the_hands_of_another_is_left_to_it(path, store):
    with Store(path) as other:
        data = kf.datasets.load("digits-two-sources", **DIGITS)
        other.claim(runs()[1], plan.checksum(data))
        assert execution.execute(runs(), store) == {"done": 3}
        assert len(store.runs(status="running")) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_store_that_fails_ends_the_plan_with_a_sentence(store, monkeypatch, jobs):
    claim = store.claim

    def full(run, checksum):
        if run.seed == 3:
            raise InputError("The store cannot be used: disk full.")
        return claim(run, checksum)

    monkeypatch.setattr(store, "claim", full)
    with pytest.raises(InputError, match="disk full"):
        execution.execute(runs(6), store, jobs=jobs)
    assert len(store.runs(status="done")) == 3


@pytest.mark.parametrize("place", ["record", "fit"])
def test_stopping_leaves_a_clean_store(store, monkeypatch, place):
    def stop(*_, **__):
        raise KeyboardInterrupt

    execution.execute(runs(1), store)
    with monkeypatch.context() as patch:
        patch.setattr(*((store, "record") if place == "record" else (KMeans, "fit")), stop)
        with pytest.raises(KeyboardInterrupt):
            execution.execute(runs(), store)
    assert [row.outcome.status for row in store.runs()] == ["done"]
    assert execution.execute(runs(), store) == {"done": 3}


SCRIPT = f"""
import sys, time
from sklearn.cluster import KMeans
from kinfolk import datasets
from kinfolk.papers import execution
from kinfolk.papers.store import RunSpec, Store

path, jobs, first, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
fit = KMeans.fit

def load(name, **options):  # each worker loads, so each worker gets the slow fit
    def slow(self, *arguments, **given):
        time.sleep(seconds if self.random_state >= first else 0)
        return fit(self, *arguments, **given)
    KMeans.fit = slow
    return datasets.load(name, **options)

options = {{"parameters": {{"n_init": 1}}, "data_options": {DIGITS}}}
runs = [RunSpec("digits-two-sources", "kmeans", "alone", seed, **options) for seed in range(8)]
with Store(path) as store:
    print(execution.execute(runs, store, load=load, jobs=jobs)["done"])
"""


def in_a_process(path, jobs, first, seconds):
    """Execute eight runs in another process; those from seed `first` on wait."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path), str(jobs), str(first), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(path, done):
    """Wait until this number of runs is done, and return them."""
    for _ in range(1200):
        if path.exists() and path.stat().st_size:
            with Store(path, read_only=True) as store:
                if len(rows := store.runs(status="done")) >= done:
                    return rows
        time.sleep(0.05)
    return pytest.fail("no run was done in a minute")


def end(process):
    """Kill a process at once, with its children where process groups exist."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Fixture: worker processes on stores of their own, started in advance."""
    folder = tmp_path_factory.mktemp("elsewhere")
    begun = {
        jobs: (folder / f"{jobs}.sqlite", [in_a_process(folder / f"{jobs}.sqlite", jobs, 2, 600)])
        for jobs in (1, 2)
    }
    shared = folder / "shared.sqlite"
    begun["shared"] = shared, [in_a_process(shared, 1, 0, 0.05) for _ in range(2)]
    yield begun
    for _, processes in begun.values():
        for process in processes:
            if process.poll() is None:
                end(process)
            process.communicate()


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_plan_loses_no_more_than_the_runs_in_flight(elsewhere, jobs):
    path, [killed] = elsewhere[jobs]
    wait_for(path, 2)
    end(killed)
    killed.wait()
    with Store(path) as store:
        before = store.runs(status="done")
        assert [row.spec.seed for row in before] in ([0, 1], [1, 0])
        # Side by side, the next run begins while a finished one is on its way to the store.
        assert len(store.runs(status="running")) <= (jobs if jobs == 1 else 2 * jobs)
        assert all(len(store.labels(row.key)) == 70 for row in before)
        assert execution.execute(runs(8), store) == {"done": 6}
        assert [row for row in store.runs() if row.key in {r.key for r in before}] == before
        assert sorted(row.spec.seed for row in store.runs(status="done")) == list(range(8))


def test_two_processes_share_a_plan(elsewhere):
    path, both = elsewhere["shared"]
    shares = [int(process.communicate(timeout=120)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(shares) == 8
    with Store(path, read_only=True) as store:
        assert sorted(row.spec.seed for row in store.runs(status="done")) == list(range(8))


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_takes_the_place_of_processes_by_configuration(store, tmp_path):
    distributed = pytest.importorskip("dask.distributed", reason="the extra dask is not there")
    cluster = partial(
        distributed.LocalCluster,
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path),
    )
    several = [*runs(6), *runs(1, method="no-such-method")]

    def load(name, **options):
        (tmp_path / f"pid-{os.getpid()}").touch()
        return kf.datasets.load(name, **options)

    with cluster() as workers, distributed.Client(workers) as client:
        pids = set(client.run(os.getpid).values())
        with joblib.parallel_config("dask"):
            tally = execution.execute(several, store, load=load)
    loaded = {int(file.name.removeprefix("pid-")) for file in tmp_path.glob("pid-*")}
    assert len(pids) == 2
    assert loaded > {os.getpid()}
    assert loaded <= {os.getpid(), *pids}
    assert tally == {"done": 6, "refused": 1}
    data = kf.datasets.load("digits-two-sources", **DIGITS)
    entry = catalogue.method("kmeans")
    for row in store.runs(status="done"):
        model = catalogue.tasks_estimator(entry, 10, row.spec.seed, n_init=1)
        expected = model.fit(data.X, tasks=data.tasks).labels_
        np.testing.assert_array_equal(store.labels(row.key), expected)
