from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(ABC):
    """Texts to vectors that are close where the texts are alike."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in the order given: float32 of shape (texts, dimensions)."""


def unit(vectors: Vectors) -> Vectors:
    """The vectors at length 1; a zero vector stays one and is similar to nothing."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit
