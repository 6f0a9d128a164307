from collections.abc import Sequence
from pathlib import Path

import numpy as np

from episodic.embedders.base import Embedder, Vectors, unit

# So many texts' tokens are in memory as vectors at once.
AT_ONCE = 64


class WordLlamaEmbedder(Embedder):
    """Static word vectors of 256 dimensions out of the wordllama wheel: no network, no key.

    A text's vector is the mean of its tokens'. The library pads each text to the longest of its
    batch to find it, which takes three times as long.
    """

    def __init__(self) -> None:
        import wordllama

        package = Path(wordllama.__file__).parent
        model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
        self.vectors: Vectors = model.embedding
        self.tokenizer = model.tokenizer
        self.tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        sums = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            encoded = self.tokenizer.encode_batch_fast(
                list(texts[start : start + AT_ONCE]), add_special_tokens=False
            )
            for place, tokens in enumerate(encoded, start):
                sums[place] = self.vectors[tokens.ids].sum(axis=0, dtype=np.float32)
        return unit(sums)
