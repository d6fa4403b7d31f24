"""The cache on the broker's server, which pages and logins must not depend on."""

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as BrokerGone
from redis.exceptions import TimeoutError as BrokerSlow


def either(name: str) -> Callable[..., Any]:
    """Return a method that asks Redis, and this process's memory where Redis is away."""

    def ask(self: "Cache", *args: Any, **options: Any) -> Any:
        try:
            return getattr(RedisCache, name)(self, *args, **options)
        except (BrokerGone, BrokerSlow):
            return getattr(self.stand_in, name)(*args, **options)

    return ask


class Cache(RedisCache):
    """Redis while it answers; else the memory of this process, so that the limits of failed
    logins hold, process by process, through a restart of the broker."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.stand_in = LocMemCache("while-redis-is-away", {"KEY_PREFIX": self.key_prefix})

    add = either("add")
    get = either("get")
    set = either("set")
    touch = either("touch")
    delete = either("delete")
    get_many = either("get_many")
    has_key = either("has_key")
    incr = either("incr")
    set_many = either("set_many")
    delete_many = either("delete_many")
    clear = either("clear")
