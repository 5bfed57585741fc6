"""The peak is that of the block alone; a system that does not tell leaves None."""

import pytest

from kinfolk.papers import peak_memory


def test_a_block_that_takes_memory_raises_the_peak_even_after_it_is_freed():
    before = peak_memory.start()
    if before is None:
        pytest.skip("the system does not report peak memory")
    content = bytearray(b"x" * 50_000_000)
    del content
    assert peak_memory.rise_since(before) > 40_000_000
    before = peak_memory.start()
    assert peak_memory.rise_since(before) < 20_000_000


def test_a_system_that_does_not_tell_leaves_none(monkeypatch, tmp_path):
    monkeypatch.setattr(peak_memory, "_RESET_PEAK", tmp_path / "none" / "clear_refs")
    assert peak_memory.start() is None
    assert peak_memory.rise_since(None) is None


def test_lines_of_the_process_status_are_in_kilobytes(monkeypatch, tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n")
    monkeypatch.setattr(peak_memory, "_STATUS", status)
    monkeypatch.setattr(peak_memory, "_RESET_PEAK", tmp_path / "clear_refs")
    assert peak_memory.start() == 2**20
    assert peak_memory.rise_since(2**20) == 2**20
    assert peak_memory.rise_since(2**22) == 0  # a fall is no negative rise


def test_a_status_without_the_line_leaves_none(monkeypatch, tmp_path):
    status = tmp_path / "status"
    status.write_text("Name:\tpython\n")
    monkeypatch.setattr(peak_memory, "_STATUS", status)
    monkeypatch.setattr(peak_memory, "_RESET_PEAK", tmp_path / "clear_refs")
    assert peak_memory.start() is None
