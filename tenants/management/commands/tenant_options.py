"""`manage.py tenant_options`: show what a tenant's memory does by default, and change it."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memmachine.errors import TenantNotFound
from tenants.models import Tenant

OPTIONS = {
    "query_limit": "hits of a query that names no limit",
    "expand_context": "neighbours around a hit",
    "expand_before": "segments before an anchor",
    "expand_after": "segments after an anchor",
    "eviction_threshold": "cosine similarity from which on two derivatives say the same, or off",
    "eviction_search_limit": "near-duplicates that are looked at",
    "eviction_target": "near-duplicates that stay",
}


class Command(BaseCommand):
    help = "Show the options of a tenant, after changing those that are given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="The tenant's name.")
        for name, help_text in OPTIONS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", help=help_text.capitalize() + ".")

    def handle(self, *args: Any, tenant: str, **options: Any) -> None:
        try:
            found = Tenant.objects.named(tenant)
        except TenantNotFound as error:
            raise CommandError(str(error)) from None
        given = {name: value for name in OPTIONS if (value := options[name]) is not None}
        for name, value in given.items():
            setattr(found, name, None if value == "off" else value)
        try:
            found.clean_fields(exclude={field.name for field in Tenant._meta.fields} - given.keys())
            found.validate_constraints()
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        found.save(update_fields=list(given))
        found.refresh_from_db()
        for name, help_text in OPTIONS.items():
            value = getattr(found, name)
            self.stdout.write(f"{name:22} {'off' if value is None else value!s:8} {help_text}")
