"""Two processes train one set of heads: gradients are averaged, figures shared, and one of them writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.locret.heads import load_heads
from tests.engine.backends import tiny_folder
from tests.engine.training.test_data import prose


@pytest.mark.skipif(sys.platform == "win32", reason="torch has no gloo there")
def test_two_processes_write_one_head_file(tmp_path: Path) -> None:
    model = tiny_folder.write(tmp_path / "tiny", max_position_embeddings=1024)
    text, out = tmp_path / "text.txt", tmp_path / "heads.safetensors"
    text.write_text(prose(1, 500))
    words = ["--model", model, "--data", text, "--out", out, "--steps", 4, "--longest", 80, "--hidden", 8]
    more = ["--check-steps", 2, "--device", "cpu", "--dtype", "float32", "--threads", 1]
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*launcher, "-m", "engine.main", "train", *map(str, [*words, *more])]
    environment = {**os.environ, "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert load_heads(out).calibration is not None
    assert done.stderr.count("Wrote") == 1
    record = tmp_path / "heads.safetensors.run"
    assert json.loads((record / "progress.json").read_text())["state"] == "done"
    rows = [json.loads(line) for line in (record / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows if row["kind"] == "held-out"] == [2, 4]
    assert "| processes | 2 |" in out.with_suffix(".md").read_text()
