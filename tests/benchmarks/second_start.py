"""How much sooner the first word of an answer is there at the second start than after a fresh reading.

`python -m tests.benchmarks.second_start [TOKENS]`: each start is a new engine process on the starter model, timed from
its start to the first token of an answer. The document is random words of about that many tokens (default 16,384).
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from tests.engine.server.client import EngineClient

WORDS = Path(__file__).read_text(encoding="utf-8").split()
SECOND_STARTS = 5


def first_token(data: Path, conversation: str | None, paths: list[str]) -> tuple[float, str, int]:
    """Seconds from the engine's start to the first token, the conversation, and the document's tokens."""
    began = time.monotonic()
    with EngineClient(["engine.main", "--data-dir", str(data)]) as client:
        client.wait_for_event("hello")
        id = conversation or client.call("conversation_create")["conversation"]["id"]
        if paths:
            client.call("documents_add", conversation=id, paths=paths)
        opened = client.call("conversation_open", conversation=id)
        job = client.send("ask", conversation=id, text="What is it about?", parent=opened["leaf"], max_tokens=8)
        client.wait_for_event("token", job)
        seconds = time.monotonic() - began
        client.end_of(job)
        client.hang_up()
    return seconds, id, sum(document["tokens"] for document in opened["documents"])


def main() -> int:
    """Prints the two times and their ratio."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "long.txt"
        text.write_text("\n\n".join(" ".join(chance.choices(WORDS, k=60)) for _ in range(wanted // 150)))
        fresh, conversation, tokens = first_token(Path(folder) / "data", None, [str(text)])
        seconds = [first_token(Path(folder) / "data", conversation, [])[0] for _ in range(SECOND_STARTS)]
    second = sorted(seconds)[SECOND_STARTS // 2]
    print(
        f"{tokens:,} tokens: {fresh:.1f} s to the first token after a fresh reading, {second:.2f} s at the second start"
    )
    print(f"(median of {SECOND_STARTS}: {', '.join(f'{s:.2f}' for s in seconds)}): {fresh / second:.0f} times sooner")
    return 0


if __name__ == "__main__":
    sys.exit(main())
