"""A runtime, a policy and held-out text for a benchmark, without store or conversations."""

from __future__ import annotations

from pathlib import Path

from engine import paths
from engine.backends.base import Runtime
from engine.errors import UserError
from engine.head_files import find_heads
from engine.loaded_model import file_sha256, policy_for
from engine.locret.heads import load_heads
from engine.locret.policies import Policy
from engine.model_shape import ModelShape, read_shape
from engine.model_source import fingerprint
from engine.runtimes import open_runtime
from engine.settings import PolicyName
from engine.target import LLAMA_CPP, Target
from engine.training.corpus import CorpusError, Document, Part, read_documents

CORPUS_ADVICE = (
    "keepsake-engine train --trial 1 --out x.safetensors downloads the corpus and writes no heads. "
    "--data takes the folder of that corpus."
)


def open_model(path: Path | None, cells: int, policy: PolicyName) -> tuple[Runtime, Policy]:
    """The model on llama.cpp with a cache of that many cells. Raises UserError as `open_target`."""
    return open_target(read_shape(path or paths.starter_model() or Path()), LLAMA_CPP, cells, policy)


def open_target(shape: ModelShape, target: Target, cells: int, policy: PolicyName) -> tuple[Runtime, Policy]:
    """The model with a cache of that many cells. Raises UserError where Locret is asked for and has no heads."""
    file = heads_for(shape) if policy == "locret" else None
    heads = load_heads(file) if file else None
    return open_runtime(shape, target, cells, heads, evicts=policy != "full"), policy_for(policy, heads)


def heads_for(shape: ModelShape, chosen: Path | None = None) -> Path:
    """The head file to use: the one chosen, or the one known for the model. Raises UserError where there is none."""
    file = chosen or find_heads(fingerprint(shape.path, file_sha256), [paths.data_dir() / "heads", paths.heads_dir()])
    if file is None:
        raise UserError("no_heads", f"{shape.name} has no retaining heads. Train them first: keepsake-engine train.")
    return file


def held_out_documents(folder: Path | None, part: Part = "test") -> list[Document]:
    """The documents of a part of a corpus that is not trained on. folder None: the corpus that `train` downloads.

    Raises UserError where it is not there.
    """
    corpus = folder or paths.data_dir() / "corpus"
    if not corpus.is_dir():
        raise UserError("no_data", f"There is no text to measure on at {corpus}. {CORPUS_ADVICE}")
    try:
        documents = [document for document in read_documents(corpus) if document.part == part]
    except CorpusError as error:
        raise UserError("no_data", f"{error}. {CORPUS_ADVICE}") from error
    if not documents:
        message = f"No document at {corpus} is kept for the evaluation. Name the folder of another corpus with --data."
        raise UserError("no_data", message)
    return documents
