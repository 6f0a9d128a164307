import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from episodic.embedders.base import Embedder, Vectors, unit

WORD = re.compile(r"\w+")


class HashingEmbedder(Embedder):
    """Deterministic vectors from the hashes of a text's words.

    For tests, and for measuring the server without a model: texts that share words are close,
    and nothing else is meant by it.
    """

    def __init__(self, dimensions: int = 256) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            hashes = [
                int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
                for word in WORD.findall(text.lower())
            ]
            for value in hashes:
                vectors[row, (value >> 1) % self.dimensions] += 1 if value & 1 else -1
        return unit(vectors)
