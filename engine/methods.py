"""What each method of the protocol does: parameters in, result out. It knows nothing of threads or lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine import settings, wire
from engine.configuration import PLANNED
from engine.engine import Emit, Engine
from engine.errors import UserError
from engine.training_runs import methods as training

Params = Mapping[str, Any]
Answer = dict[str, Any]


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise UserError("bad_params", f"{name} is missing or no text.")
    return value.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored


def ping(_engine: Engine, _params: Params) -> Answer:
    return {}


def settings_get(engine: Engine, _params: Params) -> Answer:
    """plan: null for a model that is downloaded when it is first used."""
    try:
        bought = engine.plan().as_dict()
    except UserError as error:
        if error.code != "not_downloaded":
            raise
        bought = None
    return {"settings": engine.settings(), "plan": bought}


def settings_set(engine: Engine, params: Params) -> Answer:
    changes = params.get("changes")
    if not isinstance(changes, Mapping):
        raise UserError("bad_params", "changes is no object.")
    engine.change_settings(changes)
    return settings_get(engine, {})


def plan(engine: Engine, params: Params) -> Answer:
    """What a budget would buy, with this or another model."""
    if params.get("budget_mb") is None:
        raise UserError("bad_params", "budget_mb is missing.")
    changes = {name: params[name] for name in PLANNED if name in params}
    return {"plan": engine.plan(changes).as_dict()}


def conversations_list(engine: Engine, params: Params) -> Answer:
    search = params.get("search")
    if search is not None and not isinstance(search, str):
        raise UserError("bad_params", "search is no text.")
    return {"conversations": [wire.conversation(c) for c in engine.store.conversations(search or None)]}


def conversation_create(engine: Engine, params: Params) -> Answer:
    title = _text(params, "title") if params.get("title") else ""
    return {"conversation": wire.conversation(engine.store.create_conversation(title))}


def conversation_open(engine: Engine, params: Params) -> Answer:
    id = _text(params, "conversation")
    store = engine.store
    return {
        "conversation": wire.conversation(store.conversation(id)),
        "messages": [wire.message(message) for message in store.messages(id)],
        "leaf": store.leaf(id),
        "documents": documents_list(engine, params)["documents"],
        "memory": engine.memory(id),
    }


def conversation_rename(engine: Engine, params: Params) -> Answer:
    title = _text(params, "title").strip()
    if not title:
        raise UserError("bad_params", "A conversation needs a name.")
    return {"conversation": wire.conversation(engine.store.rename(_text(params, "conversation"), title))}


def conversation_pin(engine: Engine, params: Params) -> Answer:
    pinned = params.get("pinned")
    return {"conversation": wire.conversation(engine.store.pin(_text(params, "conversation"), bool(pinned)))}


def conversation_delete(engine: Engine, params: Params) -> Answer:
    return {"conversation": wire.conversation(engine.store.delete(_text(params, "conversation")))}


def conversation_restore(engine: Engine, params: Params) -> Answer:
    return {"conversation": wire.conversation(engine.store.restore(_text(params, "conversation")))}


def documents_list(engine: Engine, params: Params) -> Answer:
    found = engine.store.documents(_text(params, "conversation"))
    live = dict(engine.live)
    return {"documents": [wire.document(engine.store, document, live.get(document.id)) for document in found]}


def document_text(engine: Engine, params: Params) -> Answer:
    document = engine.store.document(_text(params, "document"))
    pages = engine.store.pages(document.sha256) if document.sha256 else []
    return {"pages": [wire.page(page) for page in pages]}


def documents_add(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reading_job import ReadingJob

    paths = params.get("paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) and path.strip() for path in paths):
        raise UserError("bad_params", "paths is no list of texts, or one of them is empty.")
    job = ReadingJob(engine, _text(params, "conversation"), emit)
    job.add(paths)
    job.read_all()
    return documents_list(engine, params)


def documents_read(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reading_job import ReadingJob

    ReadingJob(engine, _text(params, "conversation"), emit).read_all()
    return documents_list(engine, params)


def ask(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.answer_job import AnswerJob

    conversation = _text(params, "conversation")
    parent = params["parent"] if "parent" in params else engine.store.leaf(conversation)
    message = AnswerJob(engine, conversation, emit).ask(_text(params, "text"), parent, _sampling(engine, params))
    return {"message": wire.message(message), "memory": engine.memory(conversation)}


def reread_cost(engine: Engine, params: Params) -> Answer:
    from engine.reread_cost import cost_of, question_of

    store = engine.store
    question = question_of(store, _text(params, "conversation"), _text(params, "message"))
    return cost_of(engine, store.documents_along(store.path(question.id))).as_dict()


def reread(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reread_job import RereadJob

    conversation = _text(params, "conversation")
    options = _sampling(engine, params)
    message = RereadJob(engine, conversation, emit).reread(_text(params, "message"), options)
    return {"message": wire.message(message), "memory": engine.memory(conversation)}


def _sampling(engine: Engine, params: Params) -> Params:
    """The settings, with what the call gives in place of them. Raises UserError("bad_params")."""
    given = {name: params[name] for name in ("max_tokens", "temperature") if name in params}
    return {**engine.settings(), **settings.checked(given), "seed": settings.checked_seed(params.get("seed", 0))}


def warm(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reading_job import ReadingJob

    conversation = _text(params, "conversation")
    ReadingJob(engine, conversation, emit).warm()
    return {"memory": engine.memory(conversation)}


IMMEDIATE: dict[str, Callable[[Engine, Params], Answer]] = {
    method.__name__: method
    for method in (
        ping,
        settings_get,
        settings_set,
        plan,
        conversations_list,
        conversation_create,
        conversation_open,
        conversation_rename,
        conversation_pin,
        conversation_delete,
        conversation_restore,
        documents_list,
        document_text,
        reread_cost,
    )
}
IMMEDIATE |= training.IMMEDIATE
WITH_EVENTS: dict[str, Callable[[Engine, Params, Emit], Answer]] = {
    method.__name__: method for method in (documents_add, documents_read, ask, reread, warm)
}
WITH_EVENTS |= training.ASIDE
