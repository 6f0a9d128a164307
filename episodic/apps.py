from django.apps import AppConfig


class EpisodicConfig(AppConfig):
    """What is remembered: events, their segments and derivatives, and how they are found."""

    name = "episodic"
