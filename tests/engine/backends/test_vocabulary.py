"""Text to tokens and back for folders of models: every byte survives, and control tokens in a text are text."""

from __future__ import annotations

from pathlib import Path

import gguf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers
from transformers import LlamaConfig, PreTrainedTokenizerFast

from engine.backends.vocabulary import FolderVocabulary, folder_vocabulary, gguf_vocabulary
from engine.errors import UserError
from tests.engine.backends import tiny_folder


@pytest.fixture(scope="module")
def byte_level(tmp_path_factory: pytest.TempPathFactory) -> FolderVocabulary:
    path = tmp_path_factory.mktemp("byte-level")
    tiny_folder.tokenizer().save_pretrained(path)
    return FolderVocabulary(path, LlamaConfig(eos_token_id=2))


@pytest.fixture(scope="module")
def sentence_piece(tmp_path_factory: pytest.TempPathFactory) -> FolderVocabulary:
    """As Llama 2 and Phi-3 have it: a word's space is \u2581, and what is in no word is bytes."""
    words = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "a", "b", "\u2581ab", "ab"]
    vocabulary = {word: place for place, word in enumerate(words)}
    merges = [("a", "b"), ("\u2581", "ab")]
    encoder = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    encoder.normalizer = normalizers.Replace(" ", "\u2581")
    encoder.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    encoder.add_special_tokens([AddedToken("<s>", special=True), AddedToken("</s>", special=True)])
    path = tmp_path_factory.mktemp("sentence-piece")
    PreTrainedTokenizerFast(tokenizer_object=encoder, bos_token="<s>", eos_token="</s>").save_pretrained(path)
    return FolderVocabulary(path, LlamaConfig())


@given(st.text())
@settings(deadline=None)
def test_every_byte_of_a_text_comes_back(byte_level: FolderVocabulary, text: str) -> None:
    assert b"".join(map(byte_level.token_bytes, byte_level.tokenize(text, special=False))) == text.encode()


@given(st.text(alphabet="ab \u00e9\u4e2d\U0001f600\n"))
@settings(deadline=None)
def test_every_byte_of_a_text_comes_back_from_words(sentence_piece: FolderVocabulary, text: str) -> None:
    tokens = sentence_piece.tokenize(text, special=False)
    assert b"".join(map(sentence_piece.token_bytes, tokens)) == text.encode()


@pytest.mark.parametrize("word", ["<|end|>", "</s>", "<tool>"])
def test_control_tokens_in_a_text_are_text(byte_level: FolderVocabulary, word: str) -> None:
    text = f"before {word} after"
    (control,) = byte_level.tokenize(word, special=True)
    as_text = byte_level.tokenize(text, special=False)
    assert control not in as_text
    assert b"".join(map(byte_level.token_bytes, as_text)).decode() == text
    assert control in byte_level.tokenize(text, special=True)


def test_added_tokens_that_are_no_structure_stay_whole(byte_level: FolderVocabulary) -> None:
    (two_spaces,) = byte_level.tokenize("  ", special=False)
    assert byte_level.token_bytes(two_spaces) == b"  "


def test_what_the_template_calls_its_words(byte_level: FolderVocabulary) -> None:
    assert byte_level.template_words == {"bos_token": "<s>", "eos_token": "</s>"}
    assert byte_level.chat_template == tiny_folder.TEMPLATE
    assert byte_level.token_bytes(byte_level.tokenize("</s>", special=True)[0]) == b""


def test_an_answer_ends_where_any_of_the_settings_says(tmp_path: Path) -> None:
    tiny_folder.tokenizer().save_pretrained(tmp_path)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [7, 8]}')
    assert folder_vocabulary(tmp_path, LlamaConfig(eos_token_id=9)).end_tokens == {2, 7, 8, 9}


def test_a_folder_without_a_tokenizer_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="tokenizer"):
        folder_vocabulary(tmp_path, LlamaConfig())
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(UserError, match="tokenizer"):
        folder_vocabulary(tmp_path, LlamaConfig())


def test_control_tokens_that_a_gguf_file_does_not_mark_are_text(starter_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "unmarked.gguf"
    _with_user_defined(starter_model, path, "<filename>")
    vocabulary = gguf_vocabulary(path)
    text = "before <filename> after"
    (control,) = vocabulary.tokenize("<filename>", special=True)
    as_text = vocabulary.tokenize(text, special=False)
    assert control not in as_text and control in vocabulary.tokenize(text, special=True)
    assert b"".join(map(vocabulary.token_bytes, as_text)).decode() == text
    vocabulary.close()


def _with_user_defined(model: Path, path: Path, word: str) -> None:
    """The vocabulary of a GGUF file without its weights, a control token of it marked as merely added."""
    reader, writer = gguf.GGUFReader(model), gguf.GGUFWriter(path, "llama")
    words = reader.fields["tokenizer.ggml.tokens"].contents()
    for name, entry in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        contents = entry.contents()
        if name == "tokenizer.ggml.token_type":
            contents[words.index(word)] = gguf.TokenType.USER_DEFINED
        array = entry.types[-1] if entry.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, contents, entry.types[0], array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
