"""What a reading takes under torch, in bytes: one function for each part of it, and the constants to be measured.

The parts are added up as if all were needed at once, though a forward and an eviction never are: their sum stands for
what the allocator cannot give back in between.
"""

from __future__ import annotations

from engine.locret.selection import Selection
from engine.model_shape import ModelShape
from engine.target import CUDA_LIBRARIES_BYTES, Memory, Target

ELEMENT_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
# A weight of a linear layer, in sixteenths of a byte: 8 bits, and 4 bits with a float16 scale for each 32.
_PACKED_SIXTEENTHS = {8: 16, 4: 9}
# The engine with a torch for processors and transformers loaded, less weights, cache and what a forward works on: 424
# to 488 MB measured on Linux.
PROGRAM_BYTES = 520_000_000
# What torchao or bitsandbytes take: 121 MB measured.
PACKING_LIBRARY_BYTES = 150_000_000
# Of it, what is there before the weights are loaded: 349 MB measured, and some room.
PROGRAM_AT_LOADING_BYTES = 400_000_000
# On a device the program lies elsewhere, but its allocator keeps a share of what it gave out: one part in so many.
RESERVE_PART = 20
# Tokens that are forwarded at once on a processor.
PIECE = 512
# On devices without a fused kernel for causal attention, so many queries at a time see all units.
QUERY_BLOCK = 256
# A pair of query and unit in a mask: a truth value, and the same as a float32, which kernels make of it.
MASK_BYTES = 5
# And in the scores of a query head where no kernel is fused (MPS): a float32 and its softmax.
SCORE_BYTES = 8
# Noted of each unit: its score, its original position and its RoPE position.
NOTED_BYTES = 12
# For each unit while budgets that differ by head are chosen: a copy of its score, its rank among all, its slot in int64
# and sorted, and truth values.
CHOOSING_BYTES = 64
# Values of the hidden state that are alive at once for a token: in the dtype, and in float32 for the norm.
HIDDEN_VALUES, HIDDEN_FLOATS = 3, 3
# Of the feed-forward network: gate, activated gate and product.
FEED_FORWARD_VALUES = 3
# Of Q, K and V: projected, joined and rotated; and in float32 while they are turned.
FEATURE_VALUES, FEATURE_FLOATS = 3, 2


def memory(shape: ModelShape, target: Target, selection: Selection, layers_on_device: int) -> Memory:
    """layers_on_device: layers whose weights stay on the device; the others are streamed to it, one at a time."""
    weights = weight_bytes(shape, target, layers_on_device)
    cache = cache_bytes(shape, target, selection)
    activations = forward_bytes(shape, target, selection) + eviction_bytes(shape, target, selection)
    activations += rotation_bytes(shape, selection)
    program = program_bytes(target, weights + cache + activations)
    if target.device == "cpu":
        loading = program - PROGRAM_BYTES + PROGRAM_AT_LOADING_BYTES + loading_bytes(shape, target)
        activations = max(activations, loading - weights - cache - program)
    return Memory(weights, cache, activations, program)


def loading_bytes(shape: ModelShape, target: Target) -> int:
    """The most that loading takes on a processor: the weights as they will be, the retaining heads as float32, and,
    unless the file's own numbers are taken as they are, the file's pages and its largest tensor once more.

    A GGUF file is unpacked to float32 as a whole, whatever the dtype; weights that are packed are whole before.
    """
    element = ELEMENT_BYTES[target.dtype]
    weights = weight_bytes(shape, target, shape.layers) + 2 * head_bytes(shape, target)
    if shape.gguf:
        unpacked = max(weights, shape.parameters * 4 + head_bytes(shape, target))
        return unpacked + shape.file_bytes + 2 * 4 * shape.vocabulary * shape.hidden
    if target.weight_bits != 16:
        weights += shape.parameters * element
    elif shape.stored == target.dtype:
        return weights
    return weights + shape.file_bytes + 4 * shape.vocabulary * shape.hidden


def weight_bytes(shape: ModelShape, target: Target, layers_on_device: int) -> int:
    """Embeddings, unembedding and retaining heads, the layers that stay, and a place for one that is streamed."""
    placed = min(layers_on_device + 1, shape.layers)
    return embedding_bytes(shape, target) + head_bytes(shape, target) + placed * layer_bytes(shape, target)


def embedding_bytes(shape: ModelShape, target: Target) -> int:
    """Never packed, in the dtype; once where the unembedding is tied to the embedding."""
    return _embeddings(shape) * ELEMENT_BYTES[target.dtype]


def layer_bytes(shape: ModelShape, target: Target) -> int:
    """One layer's weights. Norms and biases, which are not packed, are few enough to be counted as if they were."""
    weights = max(0, shape.parameters - _embeddings(shape))
    sixteenths = _PACKED_SIXTEENTHS.get(target.weight_bits, 16 * ELEMENT_BYTES[target.dtype])
    return _up(weights * sixteenths, 16 * shape.layers)


def head_bytes(shape: ModelShape, target: Target) -> int:
    """The retaining heads in the dtype: W1 (width x d_R) and W2 (d_R x kv_heads) in each layer."""
    return shape.layers * target.head_hidden * (shape.feature_width + shape.kv_heads) * ELEMENT_BYTES[target.dtype]


def longest_head(shape: ModelShape, selection: Selection) -> int:
    """Units that any head can come to hold: all alike, or of other allocations as many as the selection allows."""
    if selection.allocation == "uniform":
        return selection.capacity
    return selection.longest(shape.context) + max(selection.chunk, selection.turn)


def cache_bytes(shape: ModelShape, target: Target, selection: Selection) -> int:
    """Each unit's value, its key unrotated, so that no move to another slot costs a rounding, its key rotated, and four
    bytes each for its score, its original position and its RoPE position.
    """
    unit = 3 * shape.head_dim * ELEMENT_BYTES[target.dtype] + NOTED_BYTES
    return selection.capacity * shape.layers * shape.kv_heads * unit + ragged_bytes(shape, target, selection)


def ragged_bytes(shape: ModelShape, target: Target, selection: Selection) -> int:
    """What budgets that differ by head take beside the same number of units: what is noted of units is as long for each
    head as for the longest, and an eviction has one buffer of one head there twice.
    """
    if selection.allocation == "uniform":
        return 0
    longest = longest_head(shape, selection)
    noted = (longest - selection.capacity) * shape.layers * shape.kv_heads * NOTED_BYTES
    return noted + longest * shape.head_dim * ELEMENT_BYTES[target.dtype]


def rotation_bytes(shape: ModelShape, selection: Selection) -> int:
    """Tables of cosines and sines, float32 for half a head: of the slots, or of every position that the model knows."""
    positions = selection.capacity if selection.rope == "slot" else max(selection.capacity, shape.context)
    return positions * shape.head_dim * 4


def eviction_bytes(shape: ModelShape, target: Target, selection: Selection) -> int:
    """The kept units of one layer, gathered and turned in float32, and the choice of slots in all layers: a copy of the
    scores, then their order and the slots in int64. Budgets that differ by head are chosen among all units at once.
    """
    kept = selection.budget * shape.kv_heads
    gathered = kept * shape.head_dim * (4 * 4 + 2 * ELEMENT_BYTES[target.dtype])
    chosen = shape.layers * shape.kv_heads * (4 * selection.capacity + 3 * 8 * selection.budget)
    if selection.allocation != "uniform":
        chosen = shape.layers * shape.kv_heads * CHOOSING_BYTES * longest_head(shape, selection)
    return gathered + chosen


def forward_bytes(shape: ModelShape, target: Target, selection: Selection) -> int:
    """One forward of as many tokens as run at once: hidden states, then attention with the scoring of its features or
    the feed-forward network, whichever takes more, and the logits of the last token.
    """
    element = ELEMENT_BYTES[target.dtype]
    tokens = selection.chunk if target.whole_chunks else PIECE
    hidden = shape.hidden * (HIDDEN_VALUES * element + HIDDEN_FLOATS * 4)
    features = shape.feature_width * (FEATURE_VALUES * element + FEATURE_FLOATS * 4)
    scoring = 2 * target.head_hidden * element
    feed_forward = shape.feed_forward * FEED_FORWARD_VALUES * element
    logits = shape.vocabulary * 4 * 2
    return (
        tokens * (hidden + max(features + scoring, feed_forward)) + attention_bytes(shape, target, selection) + logits
    )


def attention_bytes(shape: ModelShape, target: Target, selection: Selection) -> int:
    """Masks, and scores where they are not fused away, over all units that the cache can hold."""
    units = longest_head(shape, selection)
    if target.device == "cpu":
        return PIECE * units * MASK_BYTES
    if target.device == "cuda":
        group = _up(shape.heads, shape.kv_heads)
        return QUERY_BLOCK * units * MASK_BYTES * group
    return QUERY_BLOCK * units * (MASK_BYTES + shape.heads * SCORE_BYTES)


def program_bytes(target: Target, allocated: int) -> int:
    """The runtime itself where it shares the budget with the rest, else what its allocator keeps beside `allocated`."""
    if target.device != "cpu":
        return _up(allocated, RESERVE_PART)
    packing = 0 if target.weight_bits == 16 else PACKING_LIBRARY_BYTES
    return PROGRAM_BYTES + packing + (CUDA_LIBRARIES_BYTES if target.cuda_build else 0)


def _embeddings(shape: ModelShape) -> int:
    return shape.vocabulary * shape.hidden * (1 if shape.tied else 2)


def _up(amount: int, parts: int) -> int:
    return -(-amount // parts)
