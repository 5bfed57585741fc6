"""`Kinfolk`: clusters related tasks by many methods and combines the runs, without labels.

1. Base clusterings: runs of several methods, settings and starts (`candidates`) on representations
   that fit the table (`representations`).
2. Scores, in each task by itself: a run is good if runs of other settings agree with it and
   neighboring rows share its clusters (`scores`).
3. The own answer of each task: the best quarter of its own runs combined in three ways; the best
   combination is kept (`consensus`). Large tasks without clusters (`null_model`) take no part in
   the next step. Measurements: clusters with gaps between them that the runs do not find
   (`separated_clusters`), else those of a mixture that describes the rows well (`mixtures`).
4. Tables of measurements with enough rows for a covariance: a mixture with one covariance for all
   tasks is the answer if its clusters are clearer, in its metric, than the own ones
   (`shared_metric`); else these are, or for few rows those of another task (`moved_mixtures`).
5. Other tables: all runs, and those of methods that use several tasks, are combined as well. The
   best of all nine combinations is the answer if the own clusters of the other tasks support it
   (`cross_task`), in both directions; else the own answer stands (`decision`).
6. Measurements of three tasks and more: a task whose rows one mixture of all other tasks describes
   better than any of their own gets its clusters (`common_mixtures`).

Units   scores have none, and those of measurements do not depend on the units of columns; runs on
        raw rows do.
Limits  one task: only its own runs, and own_labels_ equal labels_.
Source  `docs/labelfree-steps.md`: the rule; `docs/labelfree-rules.md`: its constants.
Beyond  new rows are assigned by the runs that were kept (`run_voters`). Rows of the fit keep their
        label in `labels_`; `predict` may differ for few of them.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.choosing import (
    candidate_runs,
    candidates,
    chains,
    changes,
    cluster_count,
    common_mixtures,
    given_families,
    mixtures,
    moved_mixtures,
    own_answers,
    partial_labels,
    records,
    representations,
    sampled_blocks,
    sampling,
    separated_clusters,
    shared_metric,
    suggestions,
    task_state,
)
from kinfolk.choosing.candidate_runs import CandidateRuns
from kinfolk.choosing.candidates import Family
from kinfolk.choosing.costs import Costs
from kinfolk.choosing.in_views import InViews
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.task_state import FitState
from kinfolk.choosing.view_answer import FAMILIES as VIEW_FAMILIES
from kinfolk.errors import ClusterNumberWarning, InputError, warn_user
from kinfolk.estimators import checks, renamed
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.rows import in_blocks
from kinfolk.numerics import kinds, threads
from kinfolk.running import deadlines, interruptions
from kinfolk.tables import Tasks, intake


@renamed.accept_old_names(
    stored={"_spaces": "_representations", "_voters": "_kept_runs", "_names": "_cluster_maps"},
    converted={
        "_representations": representations.current,
        "_kept_runs": lambda runs: [(representations.current_name(n), e) for n, e in runs],
        **dict.fromkeys(("guard_", "evidence_", "left_out_", "run_warnings_"), records.current),
    },
)
@parameterized
class Kinfolk(InViews):
    """Clusters related tasks by a consensus of many methods, chosen without labels.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int, or "auto": found for each task by
        `kf.suggest_clusters`, which is often one off
    families : names of `kinfolk.choosing.candidates.FAMILIES`, "all" of them, or clusterers of any
        package, see `given_families`; at least one of them a method of one task; None: "all"
    budget : float > 0, seconds for the whole fit: the first runs of all methods go before others
        (`turns`), long ones are ended, and with rows="auto" the methods see fewer rows of a table
        that takes longer; None: all runs
    consensus : bool, False takes in each task the labels of the single run with the best score
    guard : "report" takes the best answer where evidence from outside the task supports it, and
        reports the own one beside it; "both" is cautious and asks for an evidence above .1, in
        place of .05 or, where modularity does not fall, .03: it takes fewer changes, but not
        surely better ones. For one shape of clusters for all tasks it asks for a gain in both
        modularity and agreement, for clusters of another task's mixture for twice the evidence
    random_state : int, RandomState or None, for the starts
    rows : the rows of each task that the methods see, an int >= 10; the others are placed by their
        nearest rows. "auto": all rows up to 16,000 in all, or 32,000 in many small tasks, above it
        samples of growing size until two that share no row agree; None: all rows
    n_jobs : int other than 0, workers for the runs, as of joblib, -1 for all cores; the clusters do
        not depend on it. None: one, or those of `joblib.parallel_config`
    columns_are_scaled : bool, True if the columns of X, which must be dense, have comparable units
        already, as where `Preparation.columns_are_scaled`: they are centered at most, and X is a
        table of measurements. False: they may have different units, and some runs, and the
        scores of measurements, scale them to variance 1 in each task, unless the columns look like
        principal components
    views : mapping view -> its columns of X, as a slice, positions or names of columns of a data
        frame, where several views describe the rows (`view_answer`); None: one table. Tasks then
        share as `view_sharing` says, and `consensus` and `guard` change nothing

    Attributes
    ----------
    labels_ : (n,), the answer, from 0 in each task: a consensus of all kept runs. `predict` takes
        the vote of nine at most, so rows between clusters may get another one there: 1 in 100 rows
        of the fit on olive and digits, more where clusters overlap
    own_labels_ : (n,), the answer of each task by itself, numbered independently
    second_labels_ : task -> (n_t,), where a second, different answer is possible: mostly the worse
        one, see `guard_` for how often it was the better one
    unclustered_tasks_ : tasks in which no clusters were found, see `null_model`
    guard_ : one record per task, see `changes.change_record`
    evidence_ : one record per task and run: task, family, setting, representation, start, joint,
        mean_agreement, modularity, cross_task_agreement, score, kept, seconds
    left_out_ : one record per candidate that did not run: family, setting, representation, start,
        joint, reason
    run_warnings_ : one record per warning of a run: family, setting, representation, start, joint,
        message
    task_relatedness_ : (T, T), the mean of all runs of MTCFIR, if there were any; 0 between
        tasks that do not share
    task_agreement_ : (T, T), how alike two tasks are divided by the clusters that each has by
        itself: adjusted Rand index, mean of both directions; 0 is chance, 1 the same division
    replicability_ : one record per cluster and other task: is it found again among the clusters
        that the other task has by itself; see `replicability.replicability`
    voters_ : task -> the runs that assign new rows, each with its representation
    suggestions_ : the suggested numbers of clusters, with n_clusters="auto"
    sure_ : (n,), of samples: True where another sample places the row in the same cluster
    sampling_ : of samples: rows (positions (m,) of those that the methods saw), agreement (T,) of
        the two samples as adjusted Rand indices, moved (the share of rows that are not sure) and
        meaning, a sentence. Positions and numbers of rows in `guard_` are then of sampled rows
    view_names_, view_weights_, view_agreement_, view_guard_, own_view_labels_ : with `views`, see
        `in_views.InViews`; own_labels_ is then the answer of the best supported view
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one;
        y is not one label per row

    Warns
    -----
    ClusterNumberWarning : the numbers of clusters were found, not given
    LeftOutWarning : no run of a family took part: it failed, or it was requested and refused
    UserWarning : interrupted by Ctrl-C; the answer uses the runs until then

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = Kinfolk(3, families=["kmeans", "mec", "pooled"], random_state=0)
    >>> model.fit(data.X, tasks=data.tasks).guard_[0]["meaning"]
    'The clusters are those of this data set by itself: they score highest.'
    >>> model.labels_[:10], model.guard_[0]["modularity"]
    (array([2, 1, 1, 0, 1, 0, 2, 1, 1, 0]), 0.665)
    """

    of_rows = ("own_labels_", "sure_")

    compares = "nothing"  # it tries columns and rows at several scales

    n_clusters: Any = 2
    families: Sequence[Any] | None = None
    budget: float | None = None
    consensus: bool = True
    guard: str = "report"
    random_state: Seed = None
    columns_are_scaled: bool = False
    rows: int | str | None = "auto"
    views: Mapping[Any, Any] | None = None
    n_jobs: int | None = None

    def fit(self, X: MatrixLike, y: ArrayLike | None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each.

        Known labels y (n,) take part in the choice if some are -1 (unknown); a y without any -1 is
        ignored, as by scikit-learn's clusterers. X may be in blocks (`kinfolk.Blocks`, or of Dask):
        a sample of the rows is in memory then, and labels of all.
        """
        end = math.inf
        if self.budget is not None:
            end = deadlines.clock() + checks.above("budget", self.budget, 0)
        with deadlines.ending(end), interruptions.keeping():
            if in_blocks(X, self):
                return sampled_blocks.fit(self, X, y, tasks)
            y = intake.in_order_of(X, y, "y")
            X, found = self._open(X, tasks)
            X = kinds.dense_unless_words(X)
            y = partial_labels.partly_known(y, len(found.codes))
            y = None if y is None else self._sorted(y)
            size = sampling.sample_size(self.rows, found)
            if self.rows == "auto" and self.views is None and math.isfinite(deadlines.moment()):
                families = self._families_to_run(len(found.names))
                seen = Representations.of(X, found.codes, bool(self.columns_are_scaled))
                size = sampling.in_time(X, found, self.n_clusters, list(families), seen.kind, size)
            if size is not None:
                return self._fit_samples(X, y, found, size)
            fit = self._fit_rows if self.views is None else self._fit_in_views
            with threads.suited(X):  # also null tables, consensus and matching
                return fit(X, y, found)

    def _fit_rows(self, X: Table, y: Labels | None, found: Tasks) -> Self:
        """Fit to all rows of the tasks, without sampling."""
        k = self._numbers_of_clusters(X, found, self.columns_are_scaled)
        checks.choice("guard", self.guard, ["report", "both"])
        random = checks.random(self.random_state)
        families = self._families_to_run(len(k))
        seen = Representations.of(X, found.codes, bool(self.columns_are_scaled))
        costs = Costs.of_table(X, found.sizes, k, seen.kind)
        runs = CandidateRuns(self.budget, costs, chains.jobs(self.n_jobs), found.names)
        own = {name: family for name, family in families.items() if not family.joint}
        effort = runs.turns.prepare_own([name for name in families if name not in own])
        plan = candidates.plan(own, seen, dict(enumerate(k)), random)
        candidate_runs.run(plan, seen, X, found.codes, runs, "each data set by itself")
        if not runs.fitted:
            raise InputError(
                "no candidate that clusters each task by itself takes these rows: "
                f"{runs.left_out[0]['reason']}"
            )
        begin = deadlines.clock()
        scorers = task_state.scorers(
            X, y, found, k, seen, random, bool(self.consensus), runs, effort
        )
        judged = deadlines.clock() - begin
        states = task_state.own_states(found, scorers, runs)
        runs.turns.prepare_joint(judged, deadlines.clock() - begin - judged, effort)
        usual = self.families is None or given_families.ALL in self.families
        # A shared metric asks for null levels of its own.
        whole = usual and self.consensus and not runs.stopped and runs.turns.allow(2 * judged)
        if not (whole and self._share_mixtures(X, found, seen, states, runs, random)):
            self._share(X, found, k, seen, states, runs, families, random)
        if whole and not runs.stopped:
            common_mixtures.decide(X, found, seen, states, runs, self.guard == "both")
        runs.warn_of_left_out([] if self.families is None else families)
        self._set_answers(found, states, seen.kind)
        self.replicability_ = task_state.replicability_records(states)
        self._set_runs(states, runs)
        answers = [state.decision.answer.labels for state in states]
        # A single run of another package's clusterer may have more clusters than were asked for.
        k = [max(k_t, int(labels.max()) + 1) for k_t, labels in zip(k, answers, strict=True)]
        self._keep_runs(seen, states, k, runs.fitted)
        return self._record(X, found, found.merged(answers), k)

    def _share_mixtures(
        self,
        X: Table,
        found: Tasks,
        seen: Representations,
        states: list[FitState],
        runs: CandidateRuns,
        random: np.random.RandomState,
    ) -> bool:
        """Decide by mixtures of one or all tasks; return False where joint runs have to decide."""
        with runs.kept(states):
            separated_clusters.improve(X, found, seen, states, runs)
            mixed = mixtures.improve(X, found, seen, states, runs, random)
            separated_clusters.accept(X, found, seen, states)
            rows = seen.transform(mixtures.REPRESENTATION, X, found.codes)
            if mixed is not None:
                moved_mixtures.accept(rows, states, mixed)
            Z = shared_metric.measurements(X, found, seen, states)
            metric = None if Z is None else shared_metric.learned(Z, found, states)
            if metric is None and (Z is None or not shared_metric.refusal_is_final(Z)):
                return False
            runs.fitted.extend([] if metric is None else metric.runs)
            shared_metric.decide(states, metric, self.guard == "both")
            if mixed is not None:
                moved_mixtures.decide(rows, states, mixed, runs, self.guard == "both")
            return True
        return False  # interrupted

    def _fit_in_views(self, X: Table, y: Labels | None, found: Tasks) -> Self:
        """Cluster rows that are described by several views (sets of columns)."""
        if y is not None:
            raise InputError(
                "y has known classes, which take no part where rows have several views: leave y "
                "or `views` out."
            )
        joined = self._joined_for_numbers(X, found)
        k = self._numbers_of_clusters(joined, found, joined is not X or self.columns_are_scaled)
        budget = None if self.budget is None else checks.above("budget", self.budget, 0)
        checks.choice("guard", self.guard, ["report", "both"])
        own = {
            name: family
            for name, family in self._families_to_run(1).items()
            if self.families or name in VIEW_FAMILIES
        }
        random = checks.random(self.random_state)
        return self._fit_views(X, found, k, own, random, budget)

    def _fit_samples(self, X: Table, y: Labels | None, found: Tasks, size: int) -> Self:
        """Fit to samples of at most `size` rows of each task, then assign all other rows."""
        random = checks.random(self.random_state)
        parameters = self.get_params(deep=False)

        def make(rows: NDArray[np.integer], seconds: float | None) -> Kinfolk:
            changed = {"rows": None, "budget": seconds, "random_state": random.randint(2**31 - 1)}
            model = type(self)(**{**parameters, **changed})
            known = None if y is None else y[rows]
            return model.fit(self._as_given(X, rows), known, tasks=found.of_rows(rows))

        largest = sampling.AUTO_ROWS if self.rows == "auto" else size
        made = sampling.fitted(make, X, y, found, size, random, largest)
        for name, value in vars(made.model).items():
            # The clusters of single views are known of sampled rows only.
            if name not in (*parameters, *InViews.of_rows):
                setattr(self, name, value)
        given = self._row_order[made.rows]
        for record in made.model.guard_:
            for which in ("changed_rows", "refused_rows"):
                record[which] = np.sort(given[record[which]])
        sampling.name_budget(self)
        self.sampling_ = {**made.record(), "rows": given}
        self.sure_ = made.sure
        self.own_labels_ = made.own_labels
        self.__dict__.pop("_view_there", None)
        return self._set_labels(X, found, made.labels)

    def _share(
        self,
        X: Table,
        found: Tasks,
        k: list[int],
        seen: Representations,
        states: list[FitState],
        runs: CandidateRuns,
        families: dict[str, Family],
        random: np.random.RandomState,
    ) -> None:
        """Run the methods that use several tasks, and decide each task's answer among all runs."""
        sharing = [t for t, state in enumerate(states) if state.shares]
        joint = {n: family for n, family in families.items() if family.joint and len(sharing) > 1}
        plan = candidates.plan(joint, seen, {t: k[t] for t in sharing}, random)
        codes = np.where(np.isin(found.codes, sharing), found.codes, -1)
        candidate_runs.run(plan, seen, X, codes, runs, "all data sets together")
        task_state.decide(states, runs, self.guard == "both")

    def _numbers_of_clusters(
        self, X: Table, found: Tasks, columns_are_scaled: bool = False
    ) -> list[int]:
        """Return the number of clusters of each task, suggested if `n_clusters` is "auto"."""
        # An array compared with a text is an array, which is neither true nor false.
        if not isinstance(self.n_clusters, str) or self.n_clusters != "auto":
            return checks.clusters(self.n_clusters, found)
        random = checks.random(self.random_state)  # that of `suggest_clusters`, for its numbers
        self.suggestions_ = cluster_count.suggest_clusters(
            X, found.of_rows(), columns_are_scaled=columns_are_scaled, random_state=random
        )
        k, note = suggestions.chosen(self.suggestions_)
        warn_user(note, ClusterNumberWarning)
        return k

    def _families_to_run(self, n_tasks: int) -> dict[str, Family]:
        """Return the families to run; those of several tasks only for two tasks or more."""
        requested = given_families.of(self.families)
        if all(family.joint for family in requested.values()):
            raise InputError(
                f"families is {list(requested)}, none of which clusters each task by itself; add "
                "one that does, such as 'kmeans', for the guard to compare with."
            )
        return {n: family for n, family in requested.items() if n_tasks > 1 or not family.joint}

    def _set_answers(self, found: Tasks, states: list[FitState], kind: str) -> None:
        """Set the fitted attributes that describe and compare each task's answers."""
        self.own_labels_ = found.merged(state.decision.own.labels for state in states)
        given = self._sorted(np.arange(len(found.codes)))
        self.second_labels_ = {
            state.name: state.decision.second[np.argsort(given[state.rows])]
            for state in states
            if state.decision.second is not None
        }
        self.guard_ = [
            changes.change_record(s.name, s.decision, given[s.rows], kind) for s in states
        ]
        self.unclustered_tasks_ = [r["task"] for r in self.guard_ if not r["has_clusters"]]

    def _set_runs(self, states: list[FitState], runs: CandidateRuns) -> None:
        """Set the fitted attributes that record all runs, and mean task relatedness by MTCFIR."""
        self.left_out_ = runs.left_out
        self.run_warnings_ = runs.run_warnings
        self.evidence_ = [r for s in states for r in task_state.run_records(s, runs.fitted)]
        transferred = [state.transferred for state in states]
        self.task_agreement_ = own_answers.agreement([state.own for state in states], transferred)
        related = [f.candidate.estimator for f in runs.fitted if f.candidate.family == "mtcfir"]
        if related:
            sharing = [t for t, state in enumerate(states) if state.shares]
            self.task_relatedness_ = np.eye(len(states))
            learned = np.mean([e.task_relatedness_ for e in related], axis=0)
            self.task_relatedness_[np.ix_(sharing, sharing)] = learned
