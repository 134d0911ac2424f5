"""A store of seen ids within one process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import Callable, Optional, Set

from .seen import AlreadyHandled, BeingHandled

DEFAULT_LIMIT = 100_000  # ids; some 20 MiB
DEFAULT_AGE = 7 * 24 * 3600.0


class Memory:
    """A Seen store that a restart forgets, and that other processes do not share.

    Ids that are claimed now are never dropped; handled ones when they reach the
    age in seconds or, the oldest first, when there are more than the limit.
    """

    def __init__(
        self, limit: int = DEFAULT_LIMIT, age: float = DEFAULT_AGE, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if limit < 1 or age <= 0:
            raise ValueError("the limit must be at least 1 id, and the age more than 0 seconds")
        self._limit = limit
        self._age = age
        self._clock = clock
        self._lock = threading.Lock()
        self._claimed: Set[str] = set()
        self._handled: OrderedDict[str, float] = OrderedDict()  # when, oldest first

    def claim(self, message_id: str) -> MemoryClaim:
        with self._lock:
            self._drop()
            if message_id in self._handled:
                raise AlreadyHandled(message_id)
            if message_id in self._claimed:
                raise BeingHandled(message_id)
            self._claimed.add(message_id)
        return MemoryClaim(self, message_id)

    def _settle(self, claim: MemoryClaim, handled: bool) -> None:
        with self._lock:
            if claim.message_id is None:
                return
            message_id, claim.message_id = claim.message_id, None
            self._claimed.remove(message_id)
            if handled:
                self._handled[message_id] = self._clock()
                self._drop()

    def _drop(self) -> None:
        """Removes handled ids that are too old or too many."""
        while self._handled:
            oldest, at = next(iter(self._handled.items()))
            if len(self._handled) <= self._limit and self._clock() - at < self._age:
                return
            del self._handled[oldest]


class MemoryClaim:
    """A Claim of a Memory."""

    def __init__(self, memory: Memory, message_id: str) -> None:
        self._memory = memory
        self.message_id: Optional[str] = message_id  # None once it is settled

    def keep(self) -> None:
        self._memory._settle(self, handled=True)

    def release(self) -> None:
        self._memory._settle(self, handled=False)
