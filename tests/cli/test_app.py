"""The command with all its verbs: what help says, and what it needs."""

import subprocess
import sys
from importlib import import_module

import pytest
import typer

from kinfolk.cli import app


@pytest.mark.parametrize("verb", app.VERBS)
def test_the_list_of_verbs_has_the_first_line_of_the_help_of_each(verb):
    module, summary = app.VERBS[verb]
    found = getattr(import_module(f"kinfolk.cli.{module}"), verb)
    text = found.info.help if isinstance(found, typer.Typer) else found.__doc__
    assert summary == text.strip().splitlines()[0]


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_neither_scikit_learn_nor_matplotlib(option):
    program = (
        "import sys; from kinfolk.cli import main; code = main([sys.argv[1]]); "
        "heavy = {'sklearn', 'matplotlib', 'pandas', 'scipy'} & set(sys.modules); "
        "sys.exit(f'{code} {sorted(heavy)}' if code or heavy else 0)"
    )
    made = subprocess.run(
        [sys.executable, "-c", program, option], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    assert "kinfolk" in made.stdout or made.stdout.strip()


def test_a_mistyped_verb_is_compared_with_those_there_are(capsys):
    assert app.run(["runn"]) == 2
    assert "Did you mean 'run'?" in capsys.readouterr().err
