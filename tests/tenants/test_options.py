"""`tenant_options`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tenants.models import Tenant


def options(*arguments: str) -> dict[str, str]:
    """What the command prints: option to value."""
    said = StringIO()
    call_command("tenant_options", *arguments, stdout=said)
    return {line.split()[0]: line.split()[1] for line in said.getvalue().splitlines()}


def test_options_are_shown_and_nothing_changed(tenant):
    assert options("tenant")["eviction_threshold"] == "off"
    assert options("tenant")["query_limit"] == "10"


def test_options_are_changed_for_one_tenant(tenant, stranger):
    changed = options("tenant", "--eviction-threshold", "0.9", "--query-limit", "7")
    assert (changed["eviction_threshold"], changed["query_limit"]) == ("0.9", "7")
    assert Tenant.objects.get(pk=tenant.pk).eviction_threshold == 0.9
    assert Tenant.objects.get(pk=stranger.pk).eviction_threshold is None
    assert options("tenant", "--eviction-threshold", "off")["eviction_threshold"] == "off"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("tenant", ["--eviction-threshold", "1.5"]),
        ("tenant", ["--eviction-target", "30"]),  # more than a search finds
        ("tenant", ["--eviction-target", "0"]),
        ("tenant", ["--query-limit", "0"]),
        ("tenant", ["--query-limit", "many"]),
        ("tenant", ["--query-limit", "off"]),
        ("tenant", ["--expand-before", "-1"]),
        ("nobody", ["--query-limit", "7"]),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changed(tenant, name, given):
    before = options("tenant")
    with pytest.raises(CommandError):
        options(name, *given)
    assert options("tenant") == before
