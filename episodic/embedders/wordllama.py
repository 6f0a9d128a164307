from collections.abc import Sequence
from pathlib import Path

import numpy as np

from episodic.embedders.base import Embedder, Vectors, unit


class WordLlamaEmbedder(Embedder):
    """Static word vectors of 256 dimensions out of the wordllama wheel: no network, no key."""

    def __init__(self) -> None:
        import wordllama

        package = Path(wordllama.__file__).parent
        self.model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, 256), np.float32)
        return unit(np.asarray(self.model.embed(list(texts)), dtype=np.float32))
