"""Downloads from a hub on this machine: whole, cut, stopped, refused, damaged."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import constants

from engine.errors import UserError
from engine.hub import Progress, download, downloaded, is_hub_id, transfer
from tests.engine.hub.local_hub import NAME, LocalHub

WEIGHTS = "model.safetensors"
ROOT = Path(__file__).resolve().parents[3]


def nothing(progress: Progress) -> None:
    pass


def never() -> bool:
    return False


def fails(folder: Path, id: str = NAME) -> UserError:
    with pytest.raises(UserError) as raised:
        download(id, folder, nothing, never)
    assert downloaded(id, folder) is None
    return raised.value


def test_a_model_comes_whole_and_is_known_without_the_network(hub: LocalHub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    assert downloaded(NAME, tmp_path) is None
    here = download(NAME, tmp_path, seen.append, never)
    assert here == tmp_path / "owner--tiny"
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert {path.name for path in here.iterdir()} == {"config.json", "tokenizer.json", WEIGHTS, "download.json"}
    total = sum(len(hub.files[path.name]) for path in here.iterdir() if path.name in hub.files)
    assert seen[-1] == Progress(total, total, "tokenizer.json")
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    before = len(hub.asked)
    assert downloaded(NAME, tmp_path) == here
    assert download(NAME, tmp_path, nothing, never) == here
    assert len(hub.asked) == before


def test_a_revision_has_its_own_folder(hub: LocalHub, tmp_path: Path) -> None:
    hub.revisions = ("v2",)
    here = download(f"{NAME}@v2", tmp_path, nothing, never)
    assert here == tmp_path / "owner--tiny@v2"
    assert downloaded(f"{NAME}@v2", tmp_path) == here
    assert downloaded(NAME, tmp_path) is None
    assert "v3" in fails(tmp_path, f"{NAME}@v3").message


def test_a_missing_or_shortened_file_is_noticed(hub: LocalHub, tmp_path: Path) -> None:
    here = download(NAME, tmp_path, nothing, never)
    with (here / WEIGHTS).open("r+b") as file:
        file.truncate(10)
    assert downloaded(NAME, tmp_path) is None
    before = hub.bytes_sent
    download(NAME, tmp_path, nothing, never)
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert hub.bytes_sent - before < len(hub.files[WEIGHTS]) + 2000  # the small files are not fetched again


def test_a_cut_connection_is_taken_up_where_it_was_cut(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after = [300_000] * 5
    here = download(NAME, tmp_path, nothing, never)
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    ranges = [asked.range for asked in hub.asked if asked.file == WEIGHTS]
    assert ranges == [None, *(f"bytes={300_000 * count}-" for count in range(1, 6))]
    assert hub.bytes_sent < 1.1 * sum(map(len, hub.files.values()))


def test_a_lost_connection_is_said_and_the_next_download_goes_on(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after = [700_000, 0, 0]
    error = fails(tmp_path)
    assert error.code == "download_failed"
    assert "kept" in error.message
    seen: list[Progress] = []
    download(NAME, tmp_path, seen.append, never)
    assert hub.asked[-2].range == "bytes=700000-"
    assert seen[0].done >= 700_000


def test_a_download_goes_on_after_the_process_was_killed(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after, hub.stall = [1_200_000], True
    program = (
        "import sys; from pathlib import Path; from engine.hub import download;"
        f"download({NAME!r}, Path(sys.argv[1]), lambda progress: None, lambda: False)"
    )
    environment = os.environ | {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env=environment, cwd=ROOT)
    try:
        wait_until(lambda: sum(part.stat().st_size for part in tmp_path.glob(f"*/{WEIGHTS}.*")) >= 1_100_000)
    finally:
        process.kill()
        process.wait()
    hub.stall = False
    here = download(NAME, tmp_path, nothing, never)
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    again = next(asked.range for asked in reversed(hub.asked) if asked.file == WEIGHTS)
    assert again is not None
    assert int(again[len("bytes=") : -1]) >= 1_100_000


def test_a_server_that_knows_no_ranges_is_asked_from_the_beginning(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after, hub.ignores_range = [700_000], True
    here = download(NAME, tmp_path, nothing, never)
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert [asked.range for asked in hub.asked if asked.file == WEIGHTS] == [None, "bytes=700000-"]


def test_what_was_begun_again_and_cut_is_as_long_as_what_came(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after, hub.ignores_range = [700_000, 300_000, 0], True
    fails(tmp_path)
    assert next(tmp_path.glob(f"*/{WEIGHTS}.*")).stat().st_size == 300_000
    here = download(NAME, tmp_path, nothing, never)
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]


def test_files_that_come_packed_are_unpacked(hub: LocalHub, tmp_path: Path) -> None:
    hub.packs = True
    here = download(NAME, tmp_path, nothing, never)
    assert (here / "config.json").read_bytes() == hub.files["config.json"]


def test_a_file_that_changed_on_the_hub_is_begun_again(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after = [700_000, 0, 0]
    fails(tmp_path)
    hub.files[WEIGHTS] = hub.files[WEIGHTS][::-1]
    hub.commit = "d" * 40
    hub.asked.clear()
    hub.cut_after = [0, 0, 0]
    fails(tmp_path)
    assert len(list(tmp_path.glob(f"*/{WEIGHTS}.*"))) == 1  # what is of no use any more takes no room
    here = download(NAME, tmp_path, nothing, never)
    assert {asked.range for asked in hub.asked} == {None}
    assert (here / WEIGHTS).read_bytes() == hub.files[WEIGHTS]
    assert not list(here.glob("*.part"))


def test_a_newer_commit_replaces_the_model_and_leaves_nothing_of_the_old(hub: LocalHub, tmp_path: Path) -> None:
    here = download(NAME, tmp_path, nothing, never)
    shard, index = "model-00001-of-00001.safetensors", f"{WEIGHTS}.index.json"
    del hub.files[WEIGHTS]
    hub.files |= {shard: b"x" * 2000, index: json.dumps({"weight_map": {"a": shard}}).encode()}
    hub.commit = "d" * 40
    hub.cut_after = [1000, 0, 0]
    with pytest.raises(UserError):
        download(NAME, tmp_path, nothing, never)
    assert downloaded(NAME, tmp_path) == here  # the old one serves until the new one is there
    download(NAME, tmp_path, nothing, never)
    names = {path.name for path in here.iterdir()}
    assert names == {"config.json", "tokenizer.json", shard, index, "download.json"}


@pytest.mark.parametrize("name", [WEIGHTS, "config.json"])
def test_a_damaged_file_is_deleted_and_said(hub: LocalHub, tmp_path: Path, name: str) -> None:
    hub.sends[name] = b"?" * len(hub.files[name])
    error = fails(tmp_path)
    assert error.code == "download_failed"
    assert name in error.message
    assert "deleted" in error.message
    assert not list(tmp_path.glob(f"*/{name}*"))
    hub.sends.clear()
    assert download(NAME, tmp_path, nothing, never)


def test_a_file_of_another_size_is_never_taken(hub: LocalHub, tmp_path: Path) -> None:
    hub.sends[WEIGHTS] = b"short" * 300
    assert fails(tmp_path).code == "download_failed"
    hub.sends[WEIGHTS] = hub.files[WEIGHTS] + b"more"
    assert fails(tmp_path).code == "download_failed"


def test_a_sign_in_page_does_not_cost_what_was_downloaded(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after = [700_000, 0, 0]
    fails(tmp_path)
    hub.sends[WEIGHTS], hub.ignores_range = b"<html>Sign in!</html>" * 100, True
    fails(tmp_path)
    assert next(tmp_path.glob(f"*/{WEIGHTS}.*")).stat().st_size == 700_000


def test_an_answer_that_is_no_listing_is_a_sentence(hub: LocalHub, tmp_path: Path) -> None:
    for listing in (b"<html>Sign in!</html>", b"{}", b'{"id": "x", "sha": "../../x", "siblings": []}', b"[]"):
        hub.listing = listing
        assert "not understood" in fails(tmp_path).message


def test_an_unknown_model_is_said(hub: LocalHub, tmp_path: Path) -> None:
    error = fails(tmp_path, "owner/other")
    assert error.code == "no_such_model"
    assert "owner/other" in error.message
    hub.model_error = (404, "")
    assert fails(tmp_path).code == "no_such_model"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("status", "code"), [(401, "GatedRepo"), (403, "GatedRepo"), (401, ""), (403, "")])
def test_a_gated_model_says_where_its_licence_is(hub: LocalHub, tmp_path: Path, status: int, code: str) -> None:
    hub.file_errors = [(status, code)]
    error = fails(tmp_path)
    assert error.code == "download_failed"
    assert f"accept its licence at {hub.url}/{NAME}, then `hf auth login`" in error.message


def test_a_server_in_trouble_is_asked_again(hub: LocalHub, tmp_path: Path) -> None:
    hub.file_errors = [(503, ""), (500, "")]
    assert download(NAME, tmp_path, nothing, never)


def test_a_server_that_stays_in_trouble_is_said(hub: LocalHub, tmp_path: Path) -> None:
    hub.file_errors = [(503, "")] * 9
    assert "error 503" in fails(tmp_path).message
    hub.model_error = (429, "")
    assert "too many requests" in fails(tmp_path).message


def test_no_network_is_said(believe: Callable[[str], None], tmp_path: Path) -> None:
    believe("http://127.0.0.1:9")
    assert "Check your network" in fails(tmp_path).message


def test_offline_mode_is_said(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in fails(tmp_path).message


def test_a_silent_server_does_not_hold_up_a_stop(hub: LocalHub, tmp_path: Path) -> None:
    hub.cut_after, hub.stall = [700_000], True
    stop_at = time.monotonic() + 0.5
    with pytest.raises(UserError) as raised:
        download(NAME, tmp_path, nothing, lambda: time.monotonic() > stop_at)
    assert time.monotonic() - stop_at < 1
    assert (raised.value.code, raised.value.message) == ("cancelled", "Stopped.")
    hub.stall = False
    download(NAME, tmp_path, nothing, never)
    assert any(asked.range == "bytes=700000-" for asked in hub.asked)


def test_a_wait_before_another_try_can_be_stopped(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.hub.patience.WAITS_SECONDS", (60.0,))
    hub.model_error = (503, "")
    stop_at = time.monotonic() + 0.3
    with pytest.raises(UserError, match="Stopped"):
        download(NAME, tmp_path, nothing, lambda: time.monotonic() > stop_at)
    assert time.monotonic() - stop_at < 1


def test_the_disk_must_have_room_for_it(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2_050_000))
    error = fails(tmp_path)
    assert error.code == "download_failed"
    assert "Free some space" in error.message
    assert not hub.asked
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=2_150_000))
    assert download(NAME, tmp_path, nothing, never)


def test_what_is_there_already_needs_no_room(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.cut_after = [1_500_000, 0, 0]
    fails(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=700_000))
    assert download(NAME, tmp_path, nothing, never)


def test_a_full_disk_and_a_closed_folder_are_sentences(
    hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(transfer.os, "fsync", full)
    assert "is full" in fails(tmp_path).message
    (tmp_path / "file").write_text("")
    assert "cannot be written" in fails(tmp_path / "file").message


def test_a_token_stays_with_the_hub(hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", False)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    download(NAME, tmp_path, nothing, never)
    tokens = {asked.file: (asked.address == hub.url, asked.token) for asked in hub.asked}
    assert tokens["config.json"] == (True, "Bearer hf_secret")
    assert tokens[WEIGHTS] == (False, None)


def test_ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for id in ("meta-llama/Llama-3.1-8B", "a/b", "owner/name@main", "owner/name@refs/pr/1", "o_o/x.y-z"):
        assert is_hub_id(id), id
    for text in (
        "name",
        "a/b/c",
        "/a/b",
        "../b",
        "a/..",
        "a--b/c",
        "a/b.git",
        "a/b@",
        "a/b@../x",
        "a/-b",
        "a/b\n",
        "a/é",
    ):
        assert not is_hub_id(text), text
    Path("owner/name").mkdir(parents=True)
    assert not is_hub_id("owner/name")
    assert fails(tmp_path, "../b").code == "no_such_model"


def test_the_library_is_not_imported_before_it_is_needed() -> None:
    program = (
        "import os, sys; from pathlib import Path; from engine.hub import downloaded, is_hub_id;"
        "is_hub_id('a/b'); downloaded('a/b', Path('nowhere'));"
        "assert not {'huggingface_hub', 'httpx2'} & set(sys.modules);"
        "assert os.environ['HF_HUB_DISABLE_TELEMETRY'] == '1'"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
