"""What each method of the protocol does: parameters in, result out. It knows nothing of threads or lines."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine import settings, wire
from engine.configuration import PLANNED
from engine.engine import Emit, Engine
from engine.errors import UserError
from engine.training_runs import methods as training

if TYPE_CHECKING:
    from engine.documents.changed import Changes

Params = Mapping[str, Any]
Answer = dict[str, Any]
MOST_AT_ONCE = 500
# Of one part, at once: a text of many megabytes is one.
MOST_CHARACTERS = 100_000
WIDEST_IMAGE = 2400


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise UserError("bad_params", f"{name} is missing or no text.")
    return value.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be stored


def _path(params: Params, name: str) -> str:
    """As the file system has it, which may be no valid Unicode."""
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise UserError("bad_params", f"{name} is missing or no text.")
    return value


def _whole(params: Params, name: str, default: int) -> int:
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise UserError("bad_params", f"{name} is a whole number from 0 on.")
    return value


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
        **documents_list(engine, params),
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
    """Of each folder its first files; the others are asked for."""
    conversation, store = _text(params, "conversation"), engine.store
    found = store.listed_documents(conversation)
    return {
        "documents": wire.documents(store, conversation, found, dict(engine.live)),
        "folders": [wire.folder(folder) for folder in store.folders(conversation)],
    }


def folder_files(engine: Engine, params: Params) -> Answer:
    """A part of a folder's files, in order."""
    conversation, store = _text(params, "conversation"), engine.store
    start, count = _whole(params, "from", 0), _whole(params, "count", MOST_AT_ONCE)
    found = store.folder_files(conversation, _path(params, "folder"), start, min(count, MOST_AT_ONCE))
    return {"documents": wire.documents(store, conversation, found, dict(engine.live))}


def document_text(engine: Engine, params: Params) -> Answer:
    """Some of its pages as the model sees them, each from a place in its text on, and the names of its parts."""
    from engine.documents.render import rendered

    store = engine.store
    document = store.document(_text(params, "document"))
    key = (document.sha256 or "", document.recipe)
    first, count = _whole(params, "from", 1), _whole(params, "count", MOST_AT_ONCE)
    offset = _whole(params, "offset", 0)
    pages = store.pages(*key, first, min(count, MOST_AT_ONCE))
    texts = rendered(document.name, pages, document.kind, store.page_with_text_before(*key, first))
    return {
        "document": wire.document(store, document, engine.live.get(document.id)),
        "pages": [
            wire.page(page, text, document.kind, offset, MOST_CHARACTERS)
            for page, text in zip(pages, texts, strict=True)
        ],
        "last": store.last_page(*key),
        "outline": [{"page": page.number, "name": page.label or page.section} for page in store.outline(*key)],
    }


def documents_add(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reading_job import ReadingJob

    paths = params.get("paths")
    if not isinstance(paths, list) or not all(isinstance(path, str) and path.strip() for path in paths):
        raise UserError("bad_params", "paths is no list of texts, or one of them is empty.")
    job = ReadingJob(engine, _text(params, "conversation"), emit)
    if not job.add(paths):
        raise UserError("nothing_to_read", "There are no files in it. Choose a folder that holds documents.")
    job.read_all()
    return documents_list(engine, params)


def documents_read(engine: Engine, params: Params, emit: Emit) -> Answer:
    from engine.reading_job import ReadingJob

    ReadingJob(engine, _text(params, "conversation"), emit).read_all()
    return documents_list(engine, params)


def documents_unlock(engine: Engine, params: Params, emit: Emit) -> Answer:
    """Tries a password on every locked document, then reads what it opens."""
    from engine.reading_job import ReadingJob

    conversation, password = _text(params, "conversation"), params.get("password")
    if not isinstance(password, str) or not password:
        raise UserError("bad_params", "password is missing or no text.")
    job = ReadingJob(engine, conversation, emit)
    unlocked = job.extraction.unlock(password)
    emit("unlocked", {"unlocked": unlocked})
    job.read_all()
    return {**documents_list(engine, params), "unlocked": unlocked}


def documents_changed(engine: Engine, params: Params, _emit: Emit) -> Answer:
    """What became of a dropped folder since it was read, as counts."""
    from engine.reading_job import ReadingJob

    job = ReadingJob(engine, _text(params, "conversation"), lambda _event, _data: None)
    changes = job.adding.changes(_path(params, "folder"), engine.view_cancelled.is_set)
    return _counts(changes)


def documents_refresh(engine: Engine, params: Params, emit: Emit) -> Answer:
    """Reads what is new or has changed in a dropped folder."""
    from engine.reading_job import ReadingJob

    job = ReadingJob(engine, _text(params, "conversation"), emit)
    changes = job.adding.refresh(_path(params, "folder"))
    job.read_all()
    return {**documents_list(engine, params), **_counts(changes)}


def _counts(changes: Changes) -> Answer:
    return {"new": len(changes.new), "changed": len(changes.changed), "gone": len(changes.gone)}


def page_image(engine: Engine, params: Params, _emit: Emit) -> Answer:
    """A page as a picture."""
    from engine.page_view import page_png

    document, width = engine.store.document(_text(params, "document")), _whole(params, "width", WIDEST_IMAGE)
    png = page_png(document, _whole(params, "page", 1), min(width, WIDEST_IMAGE), engine.view_cancelled.is_set)
    return {"png": b64encode(png).decode("ascii")}


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
        folder_files,
        document_text,
        reread_cost,
    )
}
IMMEDIATE |= training.IMMEDIATE
WITH_EVENTS: dict[str, Callable[[Engine, Params, Emit], Answer]] = {
    method.__name__: method
    for method in (
        documents_add,
        documents_read,
        documents_unlock,
        documents_refresh,
        documents_changed,
        page_image,
        ask,
        reread,
        warm,
    )
}
WITH_EVENTS |= training.ASIDE
