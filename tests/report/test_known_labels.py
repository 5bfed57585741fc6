import dataclasses

import numpy as np
import pandas as pd

from kinfolk import compare
from kinfolk.datasets import makers
from kinfolk.report import known_labels, page
from kinfolk.report.content import read


def test_given_and_found_labels_are_counted_for_each_task(fit_study):
    first, second = known_labels.counts(read(fit_study("tasks with labels")))
    assert (first.task, first.given, first.found, first.checked) == ("task-0", 40, 0, 0)
    assert (second.task, second.given, second.found, second.checked) == ("task-1", 10, 30, 30)


def test_right_are_the_rows_without_label_that_got_their_true_class(fit_study):
    study = fit_study("tasks with labels")
    study.data.target[77:] = "c1"
    right = sum(study.model.transduction_[i] == study.data.target[i] for i in range(50, 80))
    assert known_labels.counts(read(study))[1].right == right < 30
    assert known_labels.sentences(read(study))[2] == (
        "Of the 30 rows without a label whose true class is known, "
        f"{right} ({100 * right / 30:.1f} %) got the right one."
    )


def test_rows_of_unknown_true_class_are_not_checked(fit_study):
    study = fit_study("tasks with labels")
    study.data.target[50:55] = "-1"
    study.data.target[55:60] = ""
    assert known_labels.counts(read(study))[1].checked == 20


def test_whole_numbers_are_one_class_with_and_without_decimals():
    data = makers.make_related_blobs(20, n_features=4, shared=3, random_state=0)
    classes = np.unique(data.target, return_inverse=True)[1]
    frame = pd.DataFrame(data.X, columns=list("abcd"))
    gaps = np.where(np.arange(40) < 25, classes, np.nan)  # as pandas reads labels with gaps
    frame = frame.assign(site=data.tasks, kind=classes, label=gaps)
    found = compare(
        frame, n_clusters=3, method="lssttc", tasks="site", target="kind", labels="label"
    )
    assert known_labels.counts(read(found.study))[1].right == 15


def test_classes_are_counted_over_all_rows_of_a_task(fit_study):
    study = fit_study("tasks with labels")
    for task in known_labels.counts(read(study)):
        mine = study.model.transduction_[study.data.tasks == task.task]
        assert task.classes == {c: int(np.sum(mine == c)) for c in ("c0", "c1", "c2")}


def test_data_sets_with_labels_are_named(fit_study):
    said = known_labels.sentences(read(fit_study("tasks with labels", truth=False)))
    assert said == [
        "Labels were given in task-0 (40 rows) and task-1 (10 rows).",
        "30 of 80 rows had no label and got one of 3 classes.",
    ]


def test_a_class_has_the_kind_of_its_clusters(fit_study):
    study = fit_study("tasks with labels")
    kinds = known_labels.kinds(read(study))
    for name, kind in kinds.items():
        rows = study.model.transduction_ == name
        assert set(study.model.matched_labels_[rows]) == {kind}


def test_methods_without_labels_have_no_counts(make_study):
    study = dataclasses.replace(make_study())
    assert known_labels.counts(read(study)) == []
    assert known_labels.sentences(read(study)) == []
    assert known_labels.kinds(read(study)) == {}


def test_every_row_is_given_or_found_once(fit_study):
    study = fit_study("tasks with labels")
    found = known_labels.counts(read(study))
    assert sum(task.given + task.found for task in found) == len(study.data)
    assert sum(sum(task.classes.values()) for task in found) == len(study.data)


def test_without_truth_nothing_is_checked(fit_study):
    found = known_labels.counts(read(fit_study("tasks with labels", truth=False)))
    assert [(task.checked, task.right) for task in found] == [(0, 0), (0, 0)]


def test_the_page_shows_the_share_of_right_labels(fit_study, no_pictures):
    study = fit_study("tasks with labels")
    second = known_labels.counts(read(study))[1]
    html = page.render(study)
    share = 100 * second.right / second.checked
    assert f"<td>{second.right} of {second.checked} ({share:.1f} %)</td>" in html
    assert "of these right" in html


def test_without_truth_the_page_has_no_column_of_right_labels(fit_study, no_pictures):
    assert "of these right" not in page.render(fit_study("tasks with labels", truth=False))
