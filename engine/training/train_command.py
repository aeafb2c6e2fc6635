"""`keepsake-engine train`: trains retaining heads for a GGUF model and writes the head file.

It ties text, backbone and optimiser together and reports; the method itself is engine.locret.training.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch

from engine.backends.torch_devices import dtype_for
from engine.backends.torch_model import Placement
from engine.loaded_model import file_sha256
from engine.locret.heads import RetainingHeads, save_heads
from engine.locret.training import Loss, Optimisation, Trainer, calibrate
from engine.model_source import fingerprint
from engine.training.backbone import Backbone
from engine.training.corpus import SOURCES, CorpusError, fetch, read_documents
from engine.training.samples import Recipe
from engine.training.session import TrainingSession
from engine.training.sources.mixture import DEFAULT, parse

CHECKPOINT_STEPS = 100
HELD_OUT_SAMPLES = 12


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
    parser.add_argument("--labels", default=DEFAULT, metavar="NAME=WEIGHT,...", help="what the labels come from")


def run(args: argparse.Namespace) -> int:
    """Trains, and returns 0; 1 when the model or the text cannot be used, with the reason on stderr."""
    torch.set_num_threads(args.threads)
    try:
        if args.fetch:
            fetch(args.data)
        documents = read_documents(args.data)
    except CorpusError as error:
        _say(str(error))
        return 1
    backbone = Backbone(args.model, Placement(dtype=dtype_for("auto", "cpu")))
    training = [document for document in documents if not document.held_out]
    held_out = [document for document in documents if document.held_out]
    session = TrainingSession(backbone, training, held_out, Recipe(mixture=parse(args.labels)), args.seed)
    trainer = _trainer(backbone, args)
    checkpoint = args.out.with_name(args.out.name + ".checkpoint")
    if args.resume:
        trainer.resume(torch.load(checkpoint, weights_only=True))
    started = time.monotonic()
    while trainer.step < args.steps:
        loss = trainer.train_on(session.sample(trainer.step)).loss
        if trainer.step % 20 == 0:
            _report(trainer.step, args.steps, loss, time.monotonic() - started)
        if trainer.step % CHECKPOINT_STEPS == 0:
            torch.save(trainer.state(), checkpoint)
    _write(trainer, session, args)
    return 0


def _trainer(backbone: Backbone, args: argparse.Namespace) -> Trainer:
    torch.manual_seed(args.seed)
    heads = RetainingHeads(backbone.layers, backbone.feature_width, args.hidden, backbone.kv_heads)
    return Trainer(heads, Optimisation(steps=args.steps, warm_up=min(60, args.steps // 5), final_rate=5e-5))


def _write(trainer: Trainer, session: TrainingSession, args: argparse.Namespace) -> None:
    samples = list(session.held_out_samples(range(HELD_OUT_SAMPLES)))
    losses = [torch.stack(list(trainer.check(sample).loss)) for sample in samples]
    loss = Loss(*torch.stack(losses).mean(dim=0))
    trainer.heads.calibration = calibrate(trainer.heads, samples)
    metadata = {
        "model": args.model.name,
        "model_sha256": " ".join(fingerprint(path, file_sha256) for path in (args.model, *args.also_for)),
        "steps": str(trainer.step),
        "seed": str(args.seed),
        "hidden": str(args.hidden),
        "labels": str(session.recipe.mixture),
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
