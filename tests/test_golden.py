"""`scripts/golden.py` runs every verb of the command line."""

import json
import subprocess
import sys
from pathlib import Path

from kinfolk.cli.app import VERBS

SCRIPTS = Path(__file__).parents[1] / "scripts"


def test_the_help_of_every_verb_is_hashed():
    # In a process of its own, because the script stops the clock.
    calls = "{verb: golden.call(verb, '--help') for verb in golden.VERBS}"
    code = f"import golden, json; print(json.dumps({calls}))"
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=SCRIPTS, capture_output=True, text=True, check=True
    )
    texts = json.loads(said.stdout)
    assert texts.keys() == VERBS.keys()
    for verb, text in texts.items():
        assert f"kinfolk {verb}" in text
