"""The shape of a model, read without loading it: what the memory planner and the retaining heads depend on.

It knows which reader to ask for a path, and no file format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import UserError


@dataclass(frozen=True)
class ModelShape:
    """What a model's memory depends on.

    context: the most units that a head can hold and still attend to each of them: the positions that the model was
    trained on, or its sliding window where one is in use and smaller. A unit's position is its slot, and slots never
    pass the capacity (budget, chunk and turn), so a window at least as large as the capacity never cuts anything.
    file_bytes: the weights as stored. feed_forward: width of the hidden layer of the feed-forward network.
    vocabulary: tokens. parameters: weights, tied ones once. window: tokens of the sliding window in use, or None.
    tied: whether the unembedding is the embedding. head_hidden: d_R of retaining heads among the weights
    themselves, as the authors publish them; 0 for none. gguf: whether it is a GGUF file, which torch unpacks when it
    loads it. stored: the dtype of a folder's weights, "" if it is not known.
    """

    path: Path
    name: str
    architecture: str
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    context: int
    file_bytes: int
    hidden: int
    feed_forward: int
    vocabulary: int
    parameters: int
    window: int | None = None
    tied: bool = False
    head_hidden: int = 0
    gguf: bool = False
    stored: str = ""

    @property
    def unit_bytes(self) -> int:
        """Bytes of one slot: float16 key and value in every layer and KV head."""
        return self.layers * self.kv_heads * self.head_dim * 2 * 2

    @property
    def feature_width(self) -> int:
        """Width of concat(Q, K, V) of a token, which a retaining head reads."""
        return (self.heads + 2 * self.kv_heads) * self.head_dim


def read_shape(path: Path) -> ModelShape:
    """Of a GGUF file, or of a folder as Hugging Face lays them out.

    Raises UserError("model_missing" or "model_broken").
    """
    from engine import config_shape, gguf_shape

    if path.is_dir():
        return config_shape.read_shape(path)
    if path.is_file():
        return gguf_shape.read_shape(path)
    message = f"There is no model at {path}. Choose a GGUF file or a model's folder in the settings, or with --model."
    raise UserError("model_missing", message)


def model_name(path: Path) -> str:
    """What a model is called on screen: its file without the ending, or its folder."""
    return path.name if path.is_dir() else path.stem
