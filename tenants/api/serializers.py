from rest_framework import serializers

from tenants.models import Tenant


class TenantOutput(serializers.Serializer[Tenant]):
    """A tenant as the API shows it."""

    name = serializers.CharField(help_text="The name, as it stands in the path after decoding.")
