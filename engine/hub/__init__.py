"""Models of a Hugging Face hub: their files, downloaded into a folder. The network is touched by `download` alone."""

import os

# The hub's library reads it at its import, which happens in `download`: what is used here is nobody else's business.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

from engine.hub.model import Progress, download, downloaded, is_hub_id

__all__ = ["Progress", "download", "downloaded", "is_hub_id"]
