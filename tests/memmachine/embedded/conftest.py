"""Folders for an embedded server, whose server is gone when the test is."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memmachine.embedded.support import kill, postmaster


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "deep" / "postgres"
    yield folder
    kill(postmaster(folder))


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can walk to, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        kill(postmaster(folder / "postgres"))
