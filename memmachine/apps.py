from django.apps import AppConfig


class MemMachineConfig(AppConfig):
    """What every API of the project shares."""

    name = "memmachine"

    def ready(self) -> None:
        from memmachine import checks  # noqa: F401  # registers them
