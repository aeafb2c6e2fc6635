"""How much sooner the first word of an answer is there at the second start than after a fresh reading; and `hello`.

`python -m tests.benchmarks.second_start [TOKENS]`: each start is a new engine process on the starter model, timed from
its start to the first token of an answer. The document is random words of about that many tokens (default 16,384).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.engine.server.client import EngineClient

WORDS = Path(__file__).read_text(encoding="utf-8").split()
SECOND_STARTS = 5


@dataclass(frozen=True)
class Start:
    """Seconds from the engine's start to its hello and to the first token; the conversation; its documents' tokens."""

    hello: float
    token: float
    conversation: str
    tokens: int


def start(data: Path, conversation: str | None, paths: list[str]) -> Start:
    """Starts an engine, has the paths read if there are any, and asks."""
    began = time.monotonic()
    with EngineClient(["engine.main", "--data-dir", str(data)]) as client:
        client.wait_for_event("hello")
        hello = time.monotonic() - began
        id = conversation or client.call("conversation_create")["conversation"]["id"]
        if paths:
            client.call("documents_add", conversation=id, paths=paths)
        opened = client.call("conversation_open", conversation=id)
        job = client.send("ask", conversation=id, text="What is it about?", parent=opened["leaf"], max_tokens=8)
        client.wait_for_event("token", job)
        seconds = time.monotonic() - began
        client.end_of(job)
        client.hang_up()
    return Start(hello, seconds, id, sum(document["tokens"] for document in opened["documents"]))


def main() -> int:
    """Prints the two times and their ratio."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "long.txt"
        text.write_text("\n\n".join(" ".join(chance.choices(WORDS, k=60)) for _ in range(wanted // 140 + 1)))
        data = Path(folder) / "data"
        fresh = start(data, None, [str(text)])
        again = [start(data, fresh.conversation, []) for _ in range(SECOND_STARTS)]
    tokens = sorted(each.token for each in again)
    hellos = sorted(each.hello for each in [fresh, *again])
    middle = tokens[SECOND_STARTS // 2]
    print(
        f"{fresh.tokens:,} tokens: first token {fresh.token:.1f} s after a fresh start, {middle:.2f} s after the second"
    )
    print(f"({SECOND_STARTS} times, {tokens[0]:.2f} to {tokens[-1]:.2f}): {fresh.token / middle:.0f} times sooner")
    print(f"hello: {hellos[len(hellos) // 2]:.2f} s, longest {hellos[-1]:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
