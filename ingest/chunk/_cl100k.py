"""The encoding cl100k_base (GPT-4, text-embedding-3), read from where it lies: no network.

Its ranks ship inside litellm's package, which is found but not imported (that takes seconds), and
are checked by sha256. tiktoken's own loader is not used: it would fetch a file that is not in its
cache. Tokens of bytes are cut on characters, and the tokens of a span are counted anew, since
``" fee"`` and ``"fee"`` are different tokens.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ragbench.errors import ModelUnavailable
from ragbench.ingest.chunk._clusters import inside_clusters
from ragbench.ingest.chunk._units import Units, join_clusters

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["Cl100k", "cl100k"]

_FILE = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""Named by the sha1 of the address that tiktoken knows it under."""
_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    r"\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


class Cl100k:
    """Tokens of cl100k_base, special tokens read as ordinary text.

    Args:
        encoding: tiktoken's.
        tokens: bytes of each token, by its number.
    """

    additive = False

    def __init__(self, encoding: Encoding, tokens: list[bytes]) -> None:
        import numpy as np

        self._encoding = encoding
        self._lengths = np.array([len(token) for token in tokens])
        self._blanks = np.array([len(token) - len(token.lstrip()) for token in tokens])

    def count(self, text: str) -> int:
        """Number of tokens of the text."""
        return len(self._encoding.encode_ordinary(text))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text."""
        return list(map(self.count, texts))

    def units(self, text: str, max_tokens: int, base: int = 0) -> Units:
        """The units of the text; see `ragbench.ingest.chunk._units.Tokenizer`.

        A unit begins where a token does, behind the token's white space.
        """
        import numpy as np

        tokens = np.array(self._encoding.encode_ordinary(text), dtype=np.int64)
        if not len(tokens):
            return Units([base], [0], [])
        ends = np.cumsum(self._lengths[tokens])
        at = ends - self._lengths[tokens] + self._blanks[tokens]
        if not text.isascii():
            data = np.frombuffer(text.encode(), dtype=np.uint8)
            begins = np.append((data & 0xC0) != 0x80, True)  # bytes at which a character begins
            at = np.where(begins[at], (np.cumsum(begins) - 1)[at], -1)
        at[0] = 0
        # of tokens that begin together, only the last is more than white space
        chosen = np.flatnonzero(np.append(at[1:] != at[:-1], True) & (at >= 0) & (at < len(text)))
        counts = np.minimum(np.diff(np.append(chosen, len(tokens))), max_tokens)
        starts = [*(at[chosen] + base).tolist(), base + len(text)]
        starts[0] = base
        before = [0, *np.cumsum(counts).tolist()]
        return join_clusters(Units(starts, before, []), inside_clusters(text), max_tokens, base)


@cache
def cl100k() -> Cl100k:
    """The encoding, read and checked once.

    Raises:
        ModelUnavailable: litellm's package is absent, or holds another file.
    """
    from tiktoken import Encoding

    path = _path()
    data = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(data).hexdigest() != _SHA256:
        raise ModelUnavailable(
            f"The encoding cl100k_base is not where litellm keeps it, {str(path)!r}. "
            "Install litellm again (pip install --force-reinstall litellm), or use "
            "tokenizer=wordpiece."
        )
    ranks = {
        base64.b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())
    }
    encoding = Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return Cl100k(encoding, sorted(ranks, key=ranks.__getitem__))


def _path() -> Path:
    found = importlib.util.find_spec("litellm")
    folders = found.submodule_search_locations if found else None
    return Path(folders[0] if folders else "litellm") / _FILE
