"""A stored model says how large it is, and for what."""

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.cli import main
from kinfolk.models import sizes

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 7))
TASKS = np.repeat(["a", "b"], 30)


@pytest.fixture(scope="module",
                params=[kf.PerTask(n_clusters=2), kf.MTCFIR(2, random_state=0),
                        kf.Kinfolk(2, ["kmeans", "graph"], random_state=0)],
                ids=["k-means", "MTCFIR", "Kinfolk"])  # fmt: skip
def stored(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "model"
    kf.save(request.param.fit(X, tasks=TASKS), folder)
    return request.param, folder


def test_the_parts_add_up_to_the_files(stored):
    _, folder = stored
    size = sizes.of_folder(folder)
    assert size.total == sum(file.stat().st_size for file in folder.iterdir())
    assert size.total == sum(size.parts.values())
    assert list(size.parts.values()) == sorted(size.parts.values(), reverse=True)


def test_rows_of_the_fit_are_counted_where_they_are_kept(stored):
    model, folder = stored
    found = sizes.of_folder(folder).parts.get(sizes.ROWS, 0)
    # Runs on the same representation share their rows.
    representations = {"PerTask": 0, "MTCFIR": 1}.get(type(model).__name__)
    if representations is None:
        names = {name for voters in model.voters_.values() for name, _ in voters}
        assert 0 < found <= 8 * 60 * 8 * len(names)
    else:
        assert found == representations * X.nbytes


def test_the_sentence_names_large_parts_alone():
    size = sizes.Size(12_340_000, {sizes.CLUSTERS: 12_300_000, sizes.TEXT: 40_000})
    assert size.sentence() == ("The model takes 12.3 MB: 12.3 MB centers and weights of clusters.")
    assert sizes.Size(300, {sizes.TEXT: 300}).sentence() == "The model takes 0.1 MB."


def test_a_run_tells_the_size_of_its_model(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{t},{x[0]},{x[1]}\n" for t, x in zip(TASKS, X, strict=True))
    (tmp_path / "table.csv").write_text("shop,a,b\n" + rows)
    line = "run table.csv --tasks shop --clusters 2 --method kmeans --out out --quiet"
    assert main(line.split()) == 0
    told = capsys.readouterr()
    assert "The model takes 0.1 MB" in told.out + told.err
