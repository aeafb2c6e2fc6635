"""A model ready to read: the runtime, its retaining heads, the policy and the selection, and the key they give to
readings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.backends.base import Runtime
from engine.backends.scoring import TRAINING_FREE, Scoring
from engine.chat_format import ChatFormat, chat_format
from engine.errors import UserError
from engine.head_files import find_heads
from engine.locret.heads import HeadFileError, RetainingHeads, head_metadata, load_heads
from engine.locret.policies import AsScored, Locret, LocretConsensus, Newest, Policy, Random
from engine.locret.ranking import DEFAULT_RANKING, Ranking
from engine.locret.selection import Selection
from engine.model_shape import ModelShape
from engine.runtimes import BATCH, described, open_runtime
from engine.settings import PolicyName
from engine.target import LLAMA_CPP, Target

# The version of what a stored reading means; a change of the method or of the stream's form makes old ones unusable.
READING_VERSION = 2


@dataclass
class LoadedModel:
    """selection None: the full cache. notice: a sentence when the person gets less than asked for, else None."""

    shape: ModelShape
    fingerprint: str
    runtime: Runtime
    policy: Policy
    selection: Selection | None
    chat: ChatFormat
    heads_name: str | None
    notice: str | None
    parameters: dict[str, Any]

    @property
    def capacity(self) -> int:
        return self.selection.capacity if self.selection else self.shape.context

    @property
    def policy_name(self) -> str:
        return self.policy.name if self.selection else "full"


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def heads_fingerprint(path: Path) -> str:
    """What readings know a head file's heads by. A file that gets another model's name keeps it."""
    return head_metadata(path).get("heads_sha256") or file_sha256(path)


def load_model(
    shape: ModelShape,
    fingerprint: str,
    selection: Selection,
    policy: PolicyName,
    head_folders: list[Path],
    abort: Callable[[], bool],
    seed: int = 0,
    *,
    target: Target = LLAMA_CPP,
    layers_on_device: int | None = None,
    head_file: Path | None = None,
    ranking: Ranking | None = None,
) -> LoadedModel:
    """Loads the weights (seconds) and checks that the cache can be evicted; where it cannot, the full cache is used.

    head_file: retaining heads for this model; None: those that `head_folders` hold for it. ranking: see `policy_for`.
    Raises UserError("model_missing" or "model_broken"), or "bad_params" for a ranking that cannot be.
    """
    if policy != "locret":
        head_file = None
    elif head_file is None:
        head_file = find_heads(fingerprint, head_folders)
    heads = _load_heads(head_file) if head_file else None
    scoring: Scoring | None = policy if policy in TRAINING_FREE else heads
    chosen = policy_for(policy, heads, seed, ranking)
    evicting = policy != "full" and (policy != "locret" or heads is not None)

    def opened(evicts: bool) -> Runtime:
        return open_runtime(
            shape,
            target,
            selection.capacity if evicts else shape.context,
            scoring if evicts else None,
            abort,
            evicts=evicts,
            batch=max(BATCH, selection.chunk) if target.whole_chunks else BATCH,
            layers_on_device=layers_on_device,
        )

    runtime, notice = opened(evicting), None
    if policy == "locret" and heads is None:
        notice = "This model has no retaining heads yet, so it reads with its full cache, up to its context."
    elif evicting and runtime.eviction_refusal:
        notice, evicting = runtime.eviction_refusal, False
        runtime.close()
        runtime = opened(evicting)
    kept = selection if evicting else None
    parameters: dict[str, Any] = {
        "version": READING_VERSION,
        "model": fingerprint,
        "heads": heads_fingerprint(head_file) if head_file and evicting else None,
        "policy": chosen.name if kept else "full",
        "selection": kept.as_dict() if kept else None,
    }
    where = described(target)
    return LoadedModel(
        shape=shape,
        fingerprint=fingerprint,
        runtime=runtime,
        policy=chosen,
        selection=kept,
        chat=chat_format(runtime.chat_template, **_words(runtime)),
        heads_name=head_file.stem if head_file and evicting else None,
        notice=notice,
        parameters=parameters if where is None else {**parameters, "runtime": where},
    )


def _words(runtime: Runtime) -> dict[str, str]:
    """What the template calls bos_token and eos_token."""
    return {"bos": runtime.template_words["bos_token"], "eos": runtime.template_words["eos_token"]}


def policy_for(name: PolicyName, heads: RetainingHeads | None, seed: int = 0, ranking: Ranking | None = None) -> Policy:
    """`locret` is with consensus wherever the head file is calibrated; `full` needs no scores and gets any.

    ranking: of consensus, where a person has chosen one. Raises UserError("bad_params") where there is none to rank.
    """
    if ranking is not None:
        _refuse_ranking(name, heads)
    if name == "newest":
        return Newest()
    if name == "random":
        return Random(seed)
    if name in TRAINING_FREE:
        return AsScored(name)
    if heads is not None and heads.calibration is not None:
        return LocretConsensus(heads.calibration, ranking or DEFAULT_RANKING)
    return Locret()


def _refuse_ranking(name: PolicyName, heads: RetainingHeads | None) -> None:
    if name != "locret":
        message = f"{name} has no ranking to be changed. Choose the policy locret, or leave the ranking as it is."
        raise UserError("bad_params", message)
    if heads is not None and heads.calibration is None:
        message = "These retaining heads have no calibration, which consensus needs. Leave the ranking as it is."
        raise UserError("bad_params", message)


def _load_heads(path: Path) -> RetainingHeads:
    try:
        return load_heads(path)
    except HeadFileError as error:
        raise UserError("model_broken", f"The retaining heads cannot be used: {error}.") from error
