"""What all workers share about a provider's key in Redis: a token bucket of requests and tokens
per minute, a hold that the provider asked for, and how many calls at once went well.

Redis is asked once for all calls that wait, by its own clock. An emptied Redis means an empty
bucket, never the absence of a limit; an absent one makes each worker keep to its own share.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.exceptions import RedisError

TROUBLE = (RedisError, OSError, TimeoutError)
WINDOW_LIFE = 3600  # seconds for which the number of calls at once is remembered
LONGEST_HOLD = 3600.0  # seconds
MINUTE = 60_000.0  # milliseconds

# KEYS: bucket, hold. ARGV: requests per ms and at most, tokens per ms and at most, tokens used
# beyond what was taken for them; then the tokens of each call that waits. Returns how many of
# these may start, and the milliseconds until the next one may.
TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local r_rate, r_most = tonumber(ARGV[1]), tonumber(ARGV[2])
local t_rate, t_most = tonumber(ARGV[3]), tonumber(ARGV[4])
local kept = redis.call('HMGET', KEYS[1], 'requests', 'tokens', 'at')
local passed = math.max(0, now - (tonumber(kept[3]) or now))
local requests = math.min(r_most, (tonumber(kept[1]) or 0) + passed * r_rate)
local tokens = math.min(t_most, (tonumber(kept[2]) or 0) + passed * t_rate - tonumber(ARGV[5]))
local granted, wait = 0, math.max(0, redis.call('PTTL', KEYS[2]))
if wait == 0 then
  for place = 6, #ARGV do
    local need = math.min(tonumber(ARGV[place]), t_most)
    if r_rate > 0 and requests < 0.999999 then wait = (1 - requests) / r_rate end
    if t_rate > 0 and tokens < need then wait = math.max(wait, (need - tokens) / t_rate) end
    if wait > 0 then break end
    requests, tokens, granted = requests - 1, tokens - tonumber(ARGV[place]), granted + 1
  end
end
redis.call('HSET', KEYS[1], 'requests', requests, 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], 3600000)
return {granted, math.ceil(wait)}
"""
# KEYS: hold. ARGV: milliseconds. A longer hold stands.
HOLD = """
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
end
"""


@dataclass(frozen=True)
class Limits:
    """What a provider's key may do in a minute; 0: no limit of ours."""

    requests: int = 0
    tokens: int = 0

    def __bool__(self) -> bool:
        return bool(self.requests or self.tokens)

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Return requests per ms and at most, tokens per ms and at most.

        A second's worth may be saved up; what it adds is taken off the rate, so that no minute
        sees more than the limit.
        """
        r_most = max(1, self.requests // 60)
        t_most = max(1, self.tokens // 60)
        return (
            (self.requests - r_most + 1) / MINUTE if self.requests else 0.0,
            r_most,
            max(self.tokens - t_most, 1) / MINUTE if self.tokens else 0.0,
            t_most,
        )


class Bucket:
    """The shared state of one key, seen from one worker. Made and used in one event loop.

    Methods raise one of `TROUBLE` where Redis cannot be asked.
    """

    def __init__(self, redis_url: str, base_url: str, key: str) -> None:
        self._redis = Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=1)
        mark = hashlib.sha256(f"{base_url}\n{key}".encode()).hexdigest()[:24]
        self._bucket, self._hold = f"sonovqa:{{{mark}}}:bucket", f"sonovqa:{{{mark}}}:hold"
        self._window = f"sonovqa:{{{mark}}}:window"
        self._take = self._redis.register_script(TAKE)
        self._set_hold = self._redis.register_script(HOLD)

    async def take(
        self, limits: Limits, tokens: Sequence[int], *, owed: int = 0
    ) -> tuple[int, float]:
        """Take permits for the first of the waiting calls.

        `tokens` are what each call will probably use, `owed` what earlier ones used beyond
        that. Returns how many may start now, and the seconds until the next may.
        """
        keys, values = [self._bucket, self._hold], [*limits.rates, owed, *tokens]
        granted, wait = await self._take(keys=keys, args=values)
        return int(granted), int(wait) / 1000

    async def hold(self, seconds: float) -> None:
        """Let no worker start a call with this key for so long."""
        wait = int(min(seconds, LONGEST_HOLD) * 1000)
        if wait > 0:
            await self._set_hold(keys=[self._hold], args=[wait])

    async def look(self) -> tuple[float, float | None]:
        """Return the seconds that a hold still lasts, and the share of the limit of calls at
        once that went well before; None where nobody has tried yet."""
        pipe = self._redis.pipeline(transaction=False)
        pipe.pttl(self._hold)
        pipe.get(self._window)
        left, share = await pipe.execute()
        return max(0, int(left)) / 1000, _share(share)

    async def remember(self, share: float) -> None:
        """Keep the share of the limit of calls at once that goes well, for workers to come."""
        await self._redis.set(self._window, repr(share), ex=WINDOW_LIFE)

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


def _share(raw: bytes | None) -> float | None:
    try:
        share = float(raw) if raw else None
    except ValueError:
        return None
    return share if share is not None and 0 < share <= 1 else None
