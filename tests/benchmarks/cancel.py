"""How soon a job ends after it was cancelled, while reading and while answering, on the starter model.

`python -m tests.benchmarks.cancel [TIMES]`: cancels at random moments and prints the longest and the middle wait.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.second_start import WORDS
from tests.engine.server.client import EngineClient


def wait_after_cancel(client: EngineClient, job: int, sign: str, moment: float) -> float:
    """Seconds from cancel to the job's end; it is cancelled `moment` seconds after its first sign of life."""
    client.wait_for_event(sign, job)
    time.sleep(moment)
    began = time.monotonic()
    client.send("cancel", target=job)
    client.end_of(job)
    return time.monotonic() - began


def main() -> int:
    """Prints one line for reading and one for answering."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    chance = random.Random(2)
    reading, answering = [], []
    with tempfile.TemporaryDirectory() as folder, EngineClient(["engine.main", "--data-dir", folder]) as client:
        client.wait_for_event("hello")
        text = Path(folder) / "long.txt"
        text.write_text(" ".join(chance.choices(WORDS, k=12000)))
        id = client.call("conversation_create")["conversation"]["id"]
        client.send("documents_add", conversation=id, paths=[str(text)])
        reading.append(wait_after_cancel(client, client._next_id, "reading", 4.0))
        for _ in range(times - 1):
            job = client.send("documents_read", conversation=id)
            reading.append(wait_after_cancel(client, job, "reading", chance.uniform(0, 4)))
        other = client.call("conversation_create")["conversation"]["id"]
        for _ in range(times):
            job = client.send("ask", conversation=other, text="Tell me a long story.", max_tokens=400)
            answering.append(wait_after_cancel(client, job, "token", chance.uniform(0, 3)))
    for name, waits in (("reading", sorted(reading)), ("answering", sorted(answering))):
        print(f"{name}: longest {waits[-1]:.2f} s, middle {waits[len(waits) // 2]:.2f} s, of {times}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
