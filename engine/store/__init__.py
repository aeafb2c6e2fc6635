"""The store: one SQLite file with everything that must be there again after a restart (DESIGN section 7)."""

from engine.store.records import Content, Conversation, Document, Folder, Layer, Message, NewDocument, Reading
from engine.store.store import Store

__all__ = ["Content", "Conversation", "Document", "Folder", "Layer", "Message", "NewDocument", "Reading", "Store"]
