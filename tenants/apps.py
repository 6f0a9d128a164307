from django.apps import AppConfig


class TenantsConfig(AppConfig):
    """Whose memory: tenants and their lifecycle."""

    name = "tenants"
