"""The check at load (DESIGN section 4): whether this model's cache can be evicted, found out by reading a few tokens.

The captured keys, rotated with our frequencies, must be those in llama.cpp's state to a float16 rounding.
"""

from __future__ import annotations

from engine.backends.llama_context import LlamaContext
from engine.backends.llama_model import LlamaModel
from engine.backends.llama_state import StateLayoutError, parse
from engine.backends.rope import Rope
from engine.backends.rope_probe import RopeProbe, disagreement

PROBE_TOKENS = 32
_FARTHEST = 1000  # where slow pairs have turned far enough to be told apart, and float32 angles are still exact enough
_ROUNDINGS = 2.0


class EvictionRefusedError(RuntimeError):
    """This model's cache cannot be evicted; the text says why, as a sentence."""


def check_rope(model: LlamaModel, cells: int, threads: int) -> Rope:
    """The rotary parameters of the model's keys, proven on PROBE_TOKENS tokens. Raises EvictionRefusedError.

    cells: of the context to come, since some models rotate differently in a long one.
    """
    if model.memory_refusal:
        raise EvictionRefusedError(model.memory_refusal)
    context = LlamaContext(model, cells, PROBE_TOKENS, threads, abort=None, observed=True)
    try:
        return _probe(model, context)
    finally:
        context.close()


def _probe(model: LlamaModel, context: LlamaContext) -> Rope:
    context.observer = probe = RopeProbe()
    first = min(_FARTHEST, context.cells - PROBE_TOKENS)
    try:
        context.decode([(7919 * i + 101) % model.vocabulary_size for i in range(PROBE_TOKENS)], first, logits="no")
        state = parse(context.state())
    except (StateLayoutError, ValueError, KeyError) as error:
        raise EvictionRefusedError(f"This model's cache cannot be evicted: {error}.") from error
    ropes = set(probe.ropes.values())
    if len(probe.ropes) != model.layers or len(ropes) != 1:
        raise EvictionRefusedError("This model does not rotate its keys alike in every layer, so they cannot be moved.")
    if state.keys.shape != (model.layers, PROBE_TOKENS, model.kv_heads * model.head_dim):
        raise EvictionRefusedError("This model's layers keep keys of different shapes, which cannot be evicted.")
    roundings = disagreement(probe, state.keys, first)
    if not roundings <= _ROUNDINGS:
        raise EvictionRefusedError(
            "This model's keys are rotated in a way that Keepsake does not know, so it is read with its full cache "
            f"(our rotation is {roundings:.3g} float16 roundings off)."
        )
    return ropes.pop()
