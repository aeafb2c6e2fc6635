"""How fast a long document is read: Locret and the full cache, the same tokens, the same GGUF, each in its own process.

Speed depends on the number of tokens and not on what they say, so the tokens are drawn at random with a seed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from engine.errors import UserError

STRETCH = 2048
BATCH = 512


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tokens", type=int, default=16384)
    parser.add_argument("--units", type=int, default=1024, help="budget of each KV head")
    parser.add_argument("--chunk", type=int, default=512)
    parser.add_argument("--model", type=Path, help="a GGUF file (default: the starter model)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--side", choices=("locret", "full"), help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Prints a table, or one JSON object. Raises UserError when a side cannot run."""
    if options.tokens < 4 * options.chunk or options.tokens < STRETCH:
        raise UserError("bad_params", f"Read at least {max(4 * options.chunk, STRETCH)} tokens to see a difference.")
    if options.side:
        print(json.dumps(measure(options)))
        return 0
    report = compare({side: _in_its_own_process(options, side) for side in ("locret", "full")})
    print(json.dumps(report) if options.json else table(report))
    return 0


def _in_its_own_process(options: argparse.Namespace, side: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "engine.main", "evaluate", "reading", "--side", side]
    for name in ("tokens", "units", "chunk", "seed", "model"):
        value = getattr(options, name)
        command += [f"--{name}", str(value)] if value is not None else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise UserError("bad_params", f"The {side} side did not run to its end.")
    return dict(json.loads(done.stdout))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """One side: the seconds at which each chunk was through, and what it took."""
    import torch

    from engine.engine import peak_rss_mb
    from engine.evaluation.setup import open_model
    from engine.locret.reading import Reader
    from engine.locret.selection import Selection

    selection = None
    if options.side == "locret":
        selection = Selection(options.units, options.chunk, options.chunk // 4, sinks=4, turn=0)
    cells = selection.capacity if selection else options.tokens
    runtime, policy = open_model(options.model, cells, "locret" if selection else "full")
    generator = torch.Generator().manual_seed(options.seed)
    tokens = torch.randint(100, 40000, (options.tokens,), generator=generator).tolist()
    reader = Reader(runtime, policy, selection)
    began = time.perf_counter()
    marks = [(done, time.perf_counter() - began) for done in reader.read(tokens, chunk=BATCH)]
    timings = runtime.timings
    return {
        "marks": marks,
        "overhead": timings.scoring + timings.evicting,
        "cache_bytes": runtime.cache_bytes,
        "peak_rss_mb": peak_rss_mb(),
    }


def compare(sides: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures of the two sides, as `--json` prints them."""
    locret, full = sides["locret"]["marks"], sides["full"]["marks"]
    tokens, seconds = locret[-1]
    return {
        "tokens": tokens,
        "tokens_per_second": {side: rates(result["marks"], STRETCH) for side, result in sides.items()},
        "ratio": round(full[-1][1] / seconds, 3),
        "flatness": round(rate(locret, tokens - tokens // 4, tokens) / rate(locret, 0, tokens // 4), 3),
        "overhead_share": round(sides["locret"]["overhead"] / seconds, 4),
        "cache_bytes": {side: result["cache_bytes"] for side, result in sides.items()},
        "peak_rss_mb": {side: round(result["peak_rss_mb"], 1) for side, result in sides.items()},
    }


def rate(marks: list[tuple[int, float]], first: int, last: int) -> float:
    """Tokens a second between two numbers of tokens read, by straight lines between the marks."""
    return (last - first) / (_at(marks, last) - _at(marks, first))


def rates(marks: list[tuple[int, float]], stretch: int) -> list[float]:
    end = marks[-1][0]
    return [round(rate(marks, first, min(first + stretch, end)), 1) for first in range(0, end, stretch)]


def _at(marks: list[tuple[int, float]], tokens: int) -> float:
    before, seconds_before = 0, 0.0
    for done, seconds in marks:
        if done >= tokens:
            share = (tokens - before) / (done - before)
            return seconds_before + share * (seconds - seconds_before)
        before, seconds_before = done, seconds
    return seconds_before


def table(report: dict[str, Any]) -> str:
    rows = ["| tokens read | Locret, tokens/s | full cache, tokens/s |", "|---|---|---|"]
    speeds = report["tokens_per_second"]
    for index, (locret, full) in enumerate(zip(speeds["locret"], speeds["full"], strict=True), start=1):
        rows.append(f"| {min(index * STRETCH, report['tokens']):,} | {locret:.0f} | {full:.0f} |")
    bytes_, rss = report["cache_bytes"], report["peak_rss_mb"]
    rows += [
        "",
        f"Locret is {report['ratio']:.2f} times as fast over the whole document; its last quarter runs at "
        f"{report['flatness']:.2f} of its first; scoring and evicting take {100 * report['overhead_share']:.1f} %.",
        f"Cache: {bytes_['locret'] / 1e6:.0f} MB against {bytes_['full'] / 1e6:.0f} MB; "
        f"peak memory {rss['locret']:.0f} MB against {rss['full']:.0f} MB.",
    ]
    return "\n".join(rows)
