"""The sentences about the memory, and what reading again takes. Knows the records; nothing of widgets."""

from __future__ import annotations

from app.records import Memory, RereadCost
from app.words import count, duration, megabytes, number


def memory_line(memory: Memory) -> str:
    """The meter's sentence."""
    if not memory.tokens_read:
        return "Memory is empty"
    held = f"holds {number(memory.units)} of each head\u2019s units from {count(memory.tokens_read, 'token')} read"
    return f"{held}. {memory.notice}" if memory.notice else held


def memory_details(memory: Memory) -> list[tuple[str, str]]:
    """Label and value of each fact about the memory."""
    share = 100 * memory.units / memory.tokens_read if memory.tokens_read else 0.0
    policy = {
        "locret": "Retaining heads (Locret)",
        "full": "Everything",
        "newest": "The newest",
        "random": "Any, at random",
        "keydiff": "What differs most from the rest (KeyDiff)",
    }
    return [
        ("Read so far", count(memory.tokens_read, "token")),
        ("Kept in each head", f"{number(memory.units)} units, {share:.0f} %"),
        ("Room in each head", f"{number(memory.budget)} units" if memory.eviction else "As long as the model allows"),
        ("Size", megabytes(memory.cache_bytes / 1e6)),
        ("What is kept", policy.get(memory.policy, memory.policy) if memory.eviction else "Everything"),
    ]


def reread_cost(cost: RereadCost) -> str:
    """What reading again takes, said before it starts."""
    what = f"{count(cost.documents, 'document')} ({count(cost.tokens, 'token')})"
    time = "; the time is not known yet" if cost.seconds is None else f": {duration(cost.seconds)}"
    return f"Reads {what} again with this question in view{time}. What was read before stays as it is."
