import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_python_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    names = {}
    exec(compile(example, str(README), "exec"), names)
    assert names["model"].labels_.shape == (600,)
    assert (tmp_path / "digits-model" / "model.json").is_file()


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)]+)\)", README.read_text("utf-8"))
    assert links
    missing = [link for link in links if not (README.parent / link).exists()]
    assert missing == []


def test_the_installation_commands_are_those_that_ci_runs():
    text = README.read_text("utf-8")
    assert "python -m pip install '.[app]' && kinfolk demo" in text
    assert "python -m pip install -e '.[test]' && python -m pytest" in text
