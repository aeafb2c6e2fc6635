"""Tiny random models of each architecture as Hugging Face folders, with a tokenizer of bytes beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

VOCABULARY, LAYERS, HEADS, KV_HEADS, HEAD_DIM, CONTEXT = 320, 3, 4, 2, 16, 1024
WIDTH = (HEADS + 2 * KV_HEADS) * HEAD_DIM
TEMPLATE = "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>"
LONGROPE = {
    "rope_type": "longrope",
    "long_factor": [1.0 + i for i in range(HEAD_DIM // 2)],
    "short_factor": [1.0] * (HEAD_DIM // 2),
    "original_max_position_embeddings": CONTEXT // 4,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": CONTEXT // 8,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": CONTEXT // 4}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama3": ("llama", {"rope_parameters": LLAMA3}),
    "llama-yarn": ("llama", {"rope_parameters": YARN}),
    "mistral": ("mistral", {"sliding_window": None}),
    "phi3": ("phi3", {"sliding_window": 10 * CONTEXT}),
    "phi3-longrope": ("phi3", {"rope_parameters": LONGROPE, "original_max_position_embeddings": CONTEXT // 4}),
    "phi3-partial": ("phi3", {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}),
    "qwen2": ("qwen2", {"use_sliding_window": False}),
    "qwen3": ("qwen3", {}),
    "smollm3": ("smollm3", {"no_rope_layers": [1, 0, 1]}),
}


def write(path: Path, kind: str = "llama", seed: int = 0, dtype: torch.dtype = torch.float32, **changes: Any) -> Path:
    """kind: one of KINDS. Norms and biases are random too, so that none can be left out unnoticed."""
    model_type, special = KINDS[kind]
    options = {
        "vocab_size": VOCABULARY,
        "hidden_size": HEADS * HEAD_DIM,
        "intermediate_size": 96,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD_DIM,
        "max_position_embeddings": CONTEXT,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "tie_word_embeddings": False,
        **special,
        **changes,
    }
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, **options))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            around = 1.0 if "norm" in name else 0.0
            parameter.normal_(around, 1.0 if "embed_tokens" in name else 0.15)
    model.to(dtype).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


def tokenizer() -> PreTrainedTokenizerFast:
    """A token a byte, and control tokens of both sorts: marked as special and not."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: place for place, word in enumerate(["<pad>", "<s>", "</s>", *alphabet])}
    encoder = Tokenizer(models.BPE(vocabulary, []))
    encoder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    encoder.decoder = decoders.ByteLevel()
    encoder.add_special_tokens([AddedToken(word, special=True) for word in ("<|user|>", "<|assistant|>", "<|end|>")])
    encoder.add_tokens([AddedToken("<tool>", special=False), AddedToken("  ", special=False)])
    return PreTrainedTokenizerFast(
        tokenizer_object=encoder, bos_token="<s>", eos_token="</s>", pad_token="<pad>", chat_template=TEMPLATE
    )
