"""`keepsake-engine train`: trains retaining heads for a GGUF model and writes the head file.

It ties text, backbone and optimiser together and reports; the method itself is engine.locret.training.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from engine.loaded_model import file_sha256
from engine.locret.heads import RetainingHeads, save_heads
from engine.locret.training import Loss, Optimisation, Sample, Trainer, calibrate, held_out_loss
from engine.training.backbone import Backbone
from engine.training.corpus import SOURCES, CorpusError, Document, fetch, read_documents
from engine.training.gguf_llama import UnsupportedModelError, read_llama
from engine.training.samples import Recipe, Tokenize, draw_prompt, label_prompt, tokenize_prompt

CHECKPOINT_STEPS = 100
HELD_OUT_SAMPLES = 12
HELD_OUT_SEED = 900_001


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `train`."""
    parser.add_argument("--model", type=Path, required=True, help="the GGUF file to train heads for")
    parser.add_argument("--also-for", type=Path, nargs="*", default=[], help="other files with the same weights")
    parser.add_argument("--out", type=Path, required=True, help="the head file to write (.safetensors)")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the training text")
    parser.add_argument(
        "--fetch", action="store_true", help="download the training text (Debian packages) into it first"
    )
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--hidden", type=int, default=256, help="the heads' inner width, d_R")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint beside the head file")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--continue-share", type=float, default=Recipe.continue_share)


def run(args: argparse.Namespace) -> int:
    """Trains, and returns 0; 1 when the model or the text cannot be used, with the reason on stderr."""
    torch.set_num_threads(args.threads)
    try:
        if args.fetch:
            fetch(args.data)
        documents = read_documents(args.data)
        backbone = Backbone(read_llama(args.model, torch.bfloat16))
    except (CorpusError, UnsupportedModelError) as error:
        _say(str(error))
        return 1
    session = TrainingSession(
        backbone, documents, vocabulary(args.model), Recipe(continue_share=args.continue_share), args.seed
    )
    trainer = _trainer(backbone, args)
    checkpoint = args.out.with_name(args.out.name + ".checkpoint")
    if args.resume:
        trainer.resume(checkpoint)
    started = time.monotonic()
    while trainer.step < args.steps:
        loss = trainer.train_on(session.sample(trainer.step))
        if trainer.step % 20 == 0:
            _report(trainer.step, args.steps, loss, time.monotonic() - started)
        if trainer.step % CHECKPOINT_STEPS == 0:
            trainer.save(checkpoint)
    _write(trainer, session, args)
    return 0


class TrainingSession:
    """Draws labelled samples: step by step from the training documents, or from the held-out ones."""

    def __init__(
        self, backbone: Backbone, documents: Sequence[Document], tokenize: Tokenize, recipe: Recipe, seed: int
    ) -> None:
        self.backbone, self.tokenize, self.recipe, self.seed = backbone, tokenize, recipe, seed
        self.training = [document for document in documents if not document.held_out]
        self.held_out = [document for document in documents if document.held_out]

    def sample(self, step: int) -> Sample:
        """A step's sample, a function of seed and step alone: a resumed run sees what an uninterrupted one sees."""
        return self._label(self.training, self.seed, step)

    def held_out_samples(self) -> list[Sample]:
        """Samples of documents that are never trained on, the same for every seed."""
        return [self._label(self.held_out, HELD_OUT_SEED, number) for number in range(HELD_OUT_SAMPLES)]

    def _label(self, documents: Sequence[Document], seed: int, step: int) -> Sample:
        prompt, continues = draw_prompt(documents, self.recipe, seed, step)
        tokens = self.recipe.continue_tokens if continues else 0
        return label_prompt(self.backbone, tokenize_prompt(prompt, self.tokenize, tokens))


def vocabulary(model: Path) -> Tokenize:
    """The model's own tokenizer, as the product uses it."""
    from llama_cpp import Llama

    llama = Llama(str(model), vocab_only=True, verbose=False)

    def tokenize(text: str, control: bool) -> list[int]:
        tokens: list[int] = llama.tokenize(text.encode(), add_bos=False, special=control)
        return tokens

    return tokenize


def _trainer(backbone: Backbone, args: argparse.Namespace) -> Trainer:
    torch.manual_seed(args.seed)
    shape = backbone.shape
    heads = RetainingHeads(shape.layers, shape.feature_width, args.hidden, shape.kv_heads)
    return Trainer(heads, Optimisation(steps=args.steps, warm_up=min(60, args.steps // 5), final_rate=5e-5))


def _write(trainer: Trainer, session: TrainingSession, args: argparse.Namespace) -> None:
    samples = session.held_out_samples()
    loss = held_out_loss(trainer.heads, samples)
    trainer.heads.calibration = calibrate(trainer.heads, samples)
    metadata = {
        "model": args.model.name,
        "model_sha256": " ".join(file_sha256(path) for path in (args.model, *args.also_for)),
        "steps": str(trainer.step),
        "seed": str(args.seed),
        "hidden": str(args.hidden),
        "recipe": json.dumps(asdict(session.recipe)),
        "optimisation": json.dumps(asdict(trainer.optimisation)),
        "data": ", ".join(f"{source.package} {source.version} ({source.licence})" for source in SOURCES),
        "held_out_regression": f"{loss.regression:.4f}",
        "held_out_smoothing": f"{loss.smoothing:.4f}",
    }
    save_heads(trainer.heads, args.out, metadata)
    _say(f"wrote {args.out}: held-out regression loss {loss.regression:.4f}, smoothing {loss.smoothing:.2f}")


def _report(step: int, steps: int, loss: Loss, seconds: float) -> None:
    _say(f"step {step} of {steps}: regression {loss.regression:.4f}, smoothing {loss.smoothing:.2f}, {seconds:.0f} s")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
