"""How fast a long document is read: Locret and the full cache, the same tokens, the same GGUF, each in its own process.

The two take turns, 2,048 tokens each, so that what else the machine does meanwhile slows both alike. Speed depends on
the number of tokens and not on what they say, so the tokens are drawn at random with a seed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

from engine.errors import UserError

STRETCH = 2048
BATCH = 512
SINKS = 4


def run(options: argparse.Namespace) -> int:
    """Prints a table, or one JSON object. Raises UserError when a side cannot run."""
    if options.tokens < 4 * options.chunk or options.tokens < STRETCH:
        raise UserError("bad_params", f"Read at least {max(4 * options.chunk, STRETCH)} tokens to see a difference.")
    if STRETCH % options.chunk or options.units < options.chunk // 4 + SINKS:
        raise UserError("bad_params", f"A chunk divides {STRETCH:,}, and a budget is larger than a quarter of it.")
    if options.side:
        measure(options)
        return 0
    report = compare(_side_by_side([_Side(options, name) for name in ("locret", "full")]))
    print(json.dumps(report) if options.json else table(report))
    return 0


class _Side:
    """One side's process. It waits for its turn, reads a stretch, says so, and waits again."""

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        self.name = name
        command = [sys.executable, "-m", "engine.main", "evaluate", "reading", "--side", name]
        for option in ("tokens", "units", "chunk", "seed", "model"):
            value = getattr(options, option)
            command += [f"--{option}", str(value)] if value is not None else []
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.result: dict[str, Any] | None = None

    def wait(self) -> None:
        """Until it is loaded, or through with its turn. Raises UserError when it has ended before its time."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise UserError("bad_params", f"The {self.name} side did not run to its end.")
        self.result = json.loads(line)

    def take_turn(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self.wait()

    def close(self) -> None:
        """Ends the process if it has not ended by itself."""
        if self.result is None:
            self._process.kill()
        self._process.communicate()


def _side_by_side(sides: list[_Side]) -> dict[str, dict[str, Any]]:
    try:
        for side in sides:
            side.wait()
        while any(side.result is None for side in sides):
            for side in sides:
                if side.result is None:
                    side.take_turn()
        return {side.name: side.result or {} for side in sides}
    finally:
        for side in sides:
            side.close()


def measure(options: argparse.Namespace) -> None:
    """One side. Prints `null` when it is ready and after each stretch, then waits for a line; at the end its figures:
    marks [tokens read, seconds of its own], seconds that were not the model's graph (scoring, choosing, evicting),
    bytes of the cache, peak memory.
    """
    import torch

    from engine.engine import peak_rss_mb
    from engine.evaluation.setup import open_model
    from engine.locret.reading import Reader
    from engine.locret.selection import Selection

    selection = None
    if options.side == "locret":
        selection = Selection(options.units, options.chunk, options.chunk // 4, sinks=SINKS, turn=0)
    cells = selection.capacity if selection else options.tokens
    runtime, policy = open_model(options.model, cells, "locret" if selection else "full")
    generator = torch.Generator().manual_seed(options.seed)
    tokens = torch.randint(100, 40000, (options.tokens,), generator=generator).tolist()
    marks, seconds = [], 0.0
    began = _next_turn()
    for done in Reader(runtime, policy, selection).read(tokens, chunk=BATCH):
        seconds += time.perf_counter() - began
        marks.append((done, seconds))
        began = _next_turn() if done % STRETCH == 0 and done < options.tokens else time.perf_counter()
    timings = runtime.timings
    figures = {
        "marks": marks,
        "overhead": seconds - timings.forward,
        "cache_bytes": runtime.cache_bytes,
        "peak_rss_mb": peak_rss_mb(),
    }
    print(json.dumps(figures), flush=True)


def _next_turn() -> float:
    """The time at which the other side is through."""
    print("null", flush=True)
    sys.stdin.readline()
    return time.perf_counter()


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
