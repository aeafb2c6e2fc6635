"""The figures of `evaluate reading`, on made-up marks and on a small model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.evaluation.reading import compare, rate, rates, table
from engine.main import main
from tests.engine.backends import tiny_gguf


def marks(speeds: list[tuple[int, float]], chunk: int = 512) -> list[tuple[int, float]]:
    """Marks of a reading that runs at a speed up to a number of tokens, then at the next."""
    made, done, seconds = [], 0, 0.0
    for end, speed in speeds:
        while done < end:
            done, seconds = done + chunk, seconds + chunk / speed
            made.append((done, seconds))
    return made


def test_rates_are_those_of_each_stretch() -> None:
    found = rates(marks([(2048, 100.0), (4096, 50.0), (5120, 200.0)]), 2048)
    assert found == pytest.approx([100.0, 50.0, 200.0])
    assert rate([(1000, 10.0), (2000, 30.0)], 500, 1500) == pytest.approx(1000 / 15)


def test_ratio_flatness_and_share() -> None:
    locret = {"marks": marks([(6144, 100.0), (8192, 80.0)]), "overhead": 4.0, "cache_bytes": 10, "peak_rss_mb": 5.0}
    full = {"marks": marks([(4096, 100.0), (8192, 20.0)]), "overhead": 0.0, "cache_bytes": 99, "peak_rss_mb": 9.0}
    report = compare({"locret": locret, "full": full})
    seconds = 61.44 + 25.6
    assert report["ratio"] == pytest.approx((40.96 + 204.8) / seconds, abs=1e-3)
    assert report["flatness"] == pytest.approx(0.8, abs=1e-3)
    assert report["overhead_share"] == pytest.approx(4.0 / seconds, abs=1e-4)
    assert report["cache_bytes"] == {"locret": 10, "full": 99}
    assert "2.82 times" in table(report)


def test_a_side_that_cannot_run_is_an_error_with_a_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = tiny_gguf.write(tmp_path / "tiny.gguf", "llama").path
    assert main(["evaluate", "reading", "--model", str(model), "--tokens", "2048"]) == 1
    said = capfd.readouterr().err
    assert "no retaining heads" in said
    assert "locret side did not run" in said
    assert main(["evaluate", "reading", "--tokens", "100"]) == 1
    assert main(["evaluate", "reading", "--chunk", "500"]) == 1
    assert "2,048" in capfd.readouterr().err


def test_the_two_sides_read_the_same_tokens(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "reading", "--tokens", "2048", "--units", "256", "--chunk", "256", "--json"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["tokens"] == 2048
    assert [len(speeds) for speeds in report["tokens_per_second"].values()] == [1, 1]
    assert report["cache_bytes"]["full"] == 8 * report["cache_bytes"]["locret"]
    assert 0 < report["overhead_share"] < 1
