"""The report: one offline HTML page with text, tables and figures, made from a `Study`."""

from importlib.util import find_spec

from kinfolk.errors import MissingExtraError

for _needed in ("jinja2", "matplotlib"):
    if find_spec(_needed) is None:
        raise MissingExtraError(
            f"Reports need {_needed}, which is not installed: run `pip install 'kinfolk[app]'`."
        )
