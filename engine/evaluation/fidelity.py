"""`keepsake-engine evaluate fidelity`: what a reading with eviction still finds, beside what the full cache finds.

The command: what its options open, samples one by one, and the table. What is asked is `fidelity_cases`, how it
is measured `fidelity_measure`, which policies there are `methods`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from engine.allocator import keep_freed_memory
from engine.backends.scoring import TRAINING_FREE, scoring_refusal
from engine.budget import LARGEST_CHUNK, selection_for
from engine.chat_format import chat_format
from engine.errors import UserError
from engine.evaluation.arguments import LEAST_TOKENS
from engine.evaluation.ceiling import open_ceiling
from engine.evaluation.fidelity_cases import Cases
from engine.evaluation.fidelity_measure import NOTHING, Bench, CaseRun, Figure, rows_for
from engine.evaluation.fidelity_table import rows_of, table
from engine.evaluation.methods import method_of
from engine.evaluation.needles import FIRST_NAMES, FORMS, LAST_NAMES
from engine.evaluation.real_facts import RealFact, read_questions
from engine.evaluation.sample_file import SampleFile
from engine.evaluation.setup import heads_for, held_out_documents
from engine.loaded_model import file_sha256, heads_fingerprint
from engine.locret.heads import HeadFileError, RetainingHeads, load_heads
from engine.locret.ranking import DEFAULT_RANKING
from engine.model_shape import ModelShape, read_shape
from engine.model_source import fingerprint
from engine.paths import starter_model
from engine.runtime_arguments import chosen_target
from engine.runtimes import BATCH, open_runtime
from engine.target import Target
from engine.training.corpus import Document, Part

RANDOM_HEADS = "random"
RANDOM_HIDDEN = 256
LEAST_KEPT = 16
RowMade = tuple[str, float, dict[str, object]]  # policy, share kept, and all that makes it that row
SPARE_CELLS = 512  # for the chat's opening, a question and its answer


def run(options: argparse.Namespace) -> int:
    """Prints the table. Raises UserError when model, heads or text are missing."""
    _refuse_in_vain(options)
    torch.set_num_threads(options.threads)
    keep_freed_memory()
    shape = read_shape(options.model or starter_model() or Path())
    target = chosen_target(options, shape)
    _refuse_uneven(options.policies, target)
    _refuse_too_long(options, shape)
    heads, heads_name, heads_mark = _heads(options, shape)
    documents = held_out_documents(options.data, options.part)
    questions = _questions_about(documents, options.part)
    parameters = {
        "tokens": options.tokens,
        "continuation": options.continuation,
        "seed": options.seed,
        "model": fingerprint(shape.path, file_sha256),
        "runtime": [target.runtime, target.device, target.dtype, target.weight_bits],
        "text": _digest(documents, questions),
    }
    rows = [
        (policy, kept, _made_by(policy, kept, heads, heads_mark, target, options))
        for policy, kept in rows_for(options.policies, options.kept)
    ]
    samples = SampleFile(options.checkpoint, parameters)
    missing = [n for n in range(options.samples) if any(samples.get(n, made) is None for *_, made in rows)]
    if missing:
        bench = _bench(options, shape, target, heads)
        try:
            _measure(bench, _cases(bench, options, documents, questions), rows, missing, samples)
        finally:
            bench.close()
    figures = [
        [Figure(*figure) for *_, made in rows for figure in samples.get(number, made) or []]
        for number in range(options.samples)
    ]
    found = rows_of(figures, options.seed)
    report = {
        "tokens": options.tokens,
        "seed": options.seed,
        "model": shape.name,
        "heads": heads_name,
        "runtime": f"{target.runtime} {target.dtype}" if target.runtime == "torch" else target.runtime,
        "rows": [asdict(row) for row in found],
    }
    print(json.dumps(report) if options.json else table(found))
    return 0


def _made_by(
    name: str,
    kept: float,
    heads: RetainingHeads | None,
    heads_mark: str | None,
    target: Target,
    options: argparse.Namespace,
) -> dict[str, object]:
    """All that decides what a row keeps: with a changed default, or other heads, it is another row."""
    made: dict[str, object] = {"policy": name, "kept": kept}
    if name == NOTHING or method_of(name).reads == "everything":
        return made
    method = method_of(name)
    policy = (
        method.ranking(options.seed, heads).name if method.ranking else str(DEFAULT_RANKING)
    )  # as labels are ranked
    selection = method.selection(selection_for(round(kept * options.tokens), target)).as_dict()
    return {
        **made,
        "ranking": policy,
        "selection": selection,
        "heads": heads_mark if method.scores == "heads" else None,
    }


def _measure(bench: Bench, cases: Cases, rows: Sequence[RowMade], missing: Sequence[int], samples: SampleFile) -> None:
    """The rows that are missing of these samples, one line of progress for each sample."""
    began = time.monotonic()
    for done, number in enumerate(missing, start=1):
        case = CaseRun(bench, cases.case(number))
        for policy, kept, made in rows:
            if samples.get(number, made) is None:
                samples.add(number, made, [list(figure) for figure in case.figures(policy, kept)])
        a_sample = (time.monotonic() - began) / done
        left = round(a_sample * (len(missing) - done))
        line = f"sample {done} of {len(missing)}: {a_sample:.1f} s each, {left // 60} min {left % 60} s left"
        print(line, file=sys.stderr, flush=True)


def _bench(options: argparse.Namespace, shape: ModelShape, target: Target, heads: RetainingHeads | None) -> Bench:
    """Loads the model, once, with a cache for the longest document or the largest share of it."""
    policies: Sequence[str] = options.policies
    longest = _longest(options)
    capacities = [
        method_of(name).selection(selection_for(round(kept * longest), target)).capacity
        for name in policies
        for kept in options.kept
    ]
    cells = max(longest + options.continuation + SPARE_CELLS, *capacities)
    runtime = open_runtime(shape, target, cells, heads or "keydiff", batch=_batch(target), threads=options.threads)
    if refusal := runtime.eviction_refusal or _scoring_refusal(policies, shape.architecture):
        runtime.close()
        raise UserError("bad_params", refusal)
    words = runtime.template_words
    return Bench(
        runtime=runtime,
        chat=chat_format(runtime.chat_template, words["bos_token"], words["eos_token"]),
        target=target,
        heads=heads,
        ceiling=open_ceiling(shape.path, target) if any(method_of(name).ranking is None for name in policies) else None,
        seed=options.seed,
        continuation_tokens=options.continuation,
    )


def _refuse_in_vain(options: argparse.Namespace) -> None:
    """Before anything is loaded. Raises UserError for shares that keep next to nothing and heads that are not used."""
    if min(options.kept) * options.tokens < LEAST_KEPT:
        message = f"{min(options.kept):g} of {options.tokens:,} tokens are fewer than {LEAST_KEPT} units."
        raise UserError("bad_params", f"{message} Keep more (--kept), or read longer documents (--tokens).")
    if options.heads and not _need_heads(options.policies):
        raise UserError("bad_params", "None of these policies has a use for --heads. Leave them out, or add locret.")


def _questions_about(documents: Sequence[Document], part: Part) -> list[RealFact]:
    """All questions; none, and a sentence, where the corpus has none of the documents that they are about."""
    questions, names = read_questions(part), {document.name for document in documents}
    if any(question.document in names for question in questions):
        return questions
    message = "The questions about facts are of the manuals of Debian 12, which are not in this corpus: none is asked."
    print(message, file=sys.stderr)
    return []


def _need_heads(policies: Sequence[str]) -> bool:
    return any(method_of(name).scores == "heads" for name in policies)


def _refuse_uneven(policies: Sequence[str], target: Target) -> None:
    uneven = [name for name in policies if method_of(name).allocation != "uniform"]
    if uneven and target.runtime != "torch":
        message = f"{' and '.join(uneven)} need the runtime torch, where heads can keep different numbers of units."
        raise UserError("bad_params", f"{message} Add --runtime torch, or leave them out.")


def _longest(options: argparse.Namespace) -> int:
    """Tokens of the longest document: where its text is dense, a piece has more than was asked for."""
    return int(options.tokens + options.tokens // 4)


def _refuse_too_long(options: argparse.Namespace, shape: ModelShape) -> None:
    """The full cache sees all of a document at once. Raises UserError where it cannot."""
    room = shape.context - options.continuation - SPARE_CELLS
    if _longest(options) <= room:
        return
    what = f"{shape.name} sees {shape.context:,} tokens at once, and --tokens {options.tokens} takes more"
    most = room * 4 // 5
    if most < LEAST_TOKENS:
        raise UserError("bad_params", f"{what}. Say a smaller --continuation, or name another model with --model.")
    raise UserError("bad_params", f"{what}, with dense text and questions. Say --tokens {most} or less.")


def _scoring_refusal(policies: Sequence[str], architecture: str) -> str | None:
    chosen = {method_of(name).scores for name in policies}
    refusals = (scoring_refusal(scoring, architecture) for scoring in TRAINING_FREE if scoring in chosen)
    return next(filter(None, refusals), None)


def _batch(target: Target) -> int:
    """Tokens a forward, as the product reads."""
    return max(BATCH, LARGEST_CHUNK) if target.whole_chunks else BATCH


def _cases(
    bench: Bench, options: argparse.Namespace, documents: Sequence[Document], questions: Sequence[RealFact]
) -> Cases:
    def tokenize(text: str) -> list[int]:
        return bench.runtime.tokenize(text, special=False)

    return Cases(documents, questions, options.seed, options.tokens, tokenize)


def _heads(options: argparse.Namespace, shape: ModelShape) -> tuple[RetainingHeads | None, str | None, str | None]:
    """The heads, their name, and what tells them from others; none where no policy needs them.

    Random ones are not calibrated, so they are ranked without consensus.
    """
    if not _need_heads(options.policies):
        return None, None, None
    if options.heads == RANDOM_HEADS:
        torch.manual_seed(options.seed)
        width = (shape.heads + 2 * shape.kv_heads) * shape.head_dim
        heads = RetainingHeads(shape.layers, width, RANDOM_HIDDEN, shape.kv_heads).requires_grad_(False)
        return heads, RANDOM_HEADS, f"{RANDOM_HEADS} {options.seed} {RANDOM_HIDDEN}"
    file = heads_for(shape, Path(options.heads) if options.heads else None)
    try:
        return load_heads(file), file.stem, heads_fingerprint(file)
    except (HeadFileError, OSError) as error:
        raise UserError("heads_unusable", f"The retaining heads cannot be used: {error}.") from error


def _digest(documents: Sequence[Document], questions: Sequence[RealFact]) -> str:
    """Of all that cases are made of."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(f"{document.name}\n{document.text}\n".encode())
    digest.update(repr((questions, FORMS, FIRST_NAMES, LAST_NAMES)).encode())
    return digest.hexdigest()[:16]
