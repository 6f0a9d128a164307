"""The README's commands answer what the README says."""

import re
import subprocess
import sys

import pytest
from django.conf import settings

from tests.e2e.conftest import environment_of, running

README = (settings.BASE_DIR / "README.md").read_text()
EXAMPLES = re.findall(r"```sh\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with the default embedder, after `make demo`."""
    data_dir = tmp_path_factory.mktemp("readme")
    environment = {"MEMMACHINE_EMBEDDER": "wordllama"}
    demo = [sys.executable, "manage.py", "demo"]
    subprocess.run(
        demo,
        cwd=settings.BASE_DIR,
        env=environment_of(data_dir, **environment),
        check=True,
        capture_output=True,
    )
    with running(data_dir, **environment) as started:
        yield started


def without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{32}\b", "<id>", text)


def test_the_readme_has_examples():
    assert len(EXAMPLES) >= 6


def test_every_command_answers_what_it_says(server, tmp_path):
    for command, answer in EXAMPLES:
        script = command.replace("http://127.0.0.1:8000", server.url)
        script = script.replace("/tmp/", f"{tmp_path}/")
        run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert without_ids(run.stdout.strip()) == without_ids(answer.strip())


def test_the_python_lines_work(server):
    (lines,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    run = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", lines],
        cwd=settings.BASE_DIR,
        env=environment_of(server.data_dir),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith('[session:"ferryline-')
