"""Embedders: texts to vectors. The setting EMBEDDERS names them, a tenant names one."""

from episodic.embedders.base import Embedder
from memmachine.backends import backend

__all__ = ["Embedder", "embedder"]


def embedder(name: str) -> Embedder:
    """The embedder under that name; ComponentNotEnabled where it cannot be built."""
    built: Embedder = backend("EMBEDDERS", name)
    return built
