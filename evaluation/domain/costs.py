"""What a call may cost at most, and what it did cost. Money is in US dollars."""

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import TypedDict

MILLION = Decimal(1_000_000)
STEP = Decimal("0.000001")
# Upper bounds: English needs about a quarter of a token a character, CJK about one.
TOKENS_PER_CHARACTER = Decimal("1.0")
TOKENS_OVERHEAD = 64
TOKENS_PER_FRAME = 300
TOKENS_PER_SECOND = 40
LIKELY_TOKENS_PER_CHARACTER = Decimal("0.27")
LIKELY_OUTPUT_TOKENS = 220


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens. None: not known, so nothing can be reserved."""

    tokens_in: Decimal | None = None
    tokens_out: Decimal | None = None

    @property
    def known(self) -> bool:
        return self.tokens_in is not None and self.tokens_out is not None

    def in_batch(self) -> "Price":
        """Return the price of the same tokens in batch mode: half."""
        halves = (None if one is None else one / 2 for one in (self.tokens_in, self.tokens_out))
        return Price(*halves)

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Return the price of one call, rounded up to a millionth; 0 where it is not known."""
        if self.tokens_in is None or self.tokens_out is None:
            return Decimal(0)
        exact = (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / MILLION
        return exact.quantize(STEP, rounding=ROUND_UP)


@dataclass(frozen=True)
class Tokens:
    """A count of tokens, in and out."""

    tokens_in: int
    tokens_out: int


class Size(TypedDict):
    """How much a call sends: characters of all texts, frames, seconds of clip."""

    characters: int
    frames: int
    seconds: float


def most(*, characters: int, frames: int, seconds: float, max_output_tokens: int) -> Tokens:
    """Return the tokens that a call uses at most: what its reservation is made for.

    Args:
        characters: length of all texts sent.
        frames: stills sent, or frames that the provider samples from the clip.
        seconds: length of the clip, 0 where none is sent.
        max_output_tokens: the bound sent to the provider; thoughts count as output.
    """
    media = frames * TOKENS_PER_FRAME + int(seconds * TOKENS_PER_SECOND)
    text = int(characters * TOKENS_PER_CHARACTER)
    return Tokens(text + media + TOKENS_OVERHEAD, max_output_tokens)


def likely(*, characters: int, frames: int, seconds: float) -> Tokens:
    """Return the tokens that a call probably uses: what an estimate shows before the start."""
    media = frames * TOKENS_PER_FRAME + int(seconds * TOKENS_PER_SECOND)
    return Tokens(int(characters * LIKELY_TOKENS_PER_CHARACTER) + media, LIKELY_OUTPUT_TOKENS)
