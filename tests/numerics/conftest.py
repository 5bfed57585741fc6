import pytest

from kinfolk.numerics import operators
from small_tasks import KINDS, WIDTHS, tables


@pytest.fixture(params=[30, 2**23], ids=["small blocks", "large blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(operators, "BLOCK", request.param)
    return request.param


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture(params=WIDTHS)
def X(request):
    return tables(WIDTHS[request.param])
