"""Freed memory stays for the next tensor, in a process that asked for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import resource, sys
from engine.allocator import keep_freed_memory
if sys.argv[1] == "keep":
    keep_freed_memory()
import torch

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    first = torch.ones(9 * 2**20)
    second = first * 2
    del first
    third = torch.cat([second, second[: 7 * 2**20]])
    del second
    third.exp().sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(sum([faults() for _ in range(16)][8:]))
"""


def _faults(what: str) -> int:
    """Pages that the system had to give for tensors of some 30 to 60 MB, in eight rounds after there had been eight."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, what], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it does nothing")
def test_a_tensor_takes_the_pages_of_the_last_one() -> None:
    assert 4 * _faults("keep") < _faults("usual")
