"""The documentation names what there is."""

import re

from django.conf import settings

from memmachine import errors

CONFIGURATION = (settings.BASE_DIR / "docs" / "configuration.md").read_text()


def test_every_variable_of_the_environment_is_documented():
    source = (settings.BASE_DIR / "memmachine" / "settings.py").read_text()
    read = set(re.findall(r'\(\s*"(MEMMACHINE_\w+|DATABASE_URL|SECRET_KEY)"', source))
    assert read - set(re.findall(r"^\| `(\w+)`", CONFIGURATION, re.MULTILINE)) == set()


def test_every_documented_bound_has_its_default():
    documented = re.findall(r"^\| `(MEMMACHINE_MAX_\w+)` \| (\d+)", CONFIGURATION, re.MULTILINE)
    assert len(documented) == 9
    for name, default in documented:
        assert getattr(settings, name) == int(default), name


def test_every_error_code_has_an_exception_or_a_reason():
    raised = {kind.code for kind in errors.MemMachineError.__subclasses__()}
    # Keys are not asked for yet; a bug is no exception of ours.
    assert set(errors.ErrorCode) - raised == {"unauthenticated", "forbidden", "internal"}


def test_the_links_of_the_documents_lead_somewhere():
    for document in [settings.BASE_DIR / "README.md", *(settings.BASE_DIR / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
