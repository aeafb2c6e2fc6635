"""The real engine, checkpointing after every chunk, so that a kill has something to tear: `python -m ... DATA_DIR`."""

from __future__ import annotations

import sys
from pathlib import Path

from engine import session
from engine.server import serve

session.CHECKPOINT_SECONDS = 0.0
session.WORTH_STORING_SECONDS = 0.0

if __name__ == "__main__":
    sys.exit(serve(Path(sys.argv[1])))
