"""When a request is sent again. It is asked only about what does no harm twice."""

from __future__ import annotations

import email.utils
import random
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Callable, Optional

from .errors import MaloteError

# Bounds what is believed of a Retry-After, in seconds.
_MOST_RETRY_AFTER = 24 * 3600.0


@dataclass(frozen=True)
class Backoff:
    """Pauses that double, with jitter, so that clients that failed together do
    not come back together. Seconds.

    An answer that asks for a longer pause than ``longest`` is not waited for: it
    is raised, and says when to come back. Backoff(tries=1) sends once.
    """

    tries: int = 5  # in all, the first included
    first: float = 0.25  # the first pause at most; half as long at least
    longest: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def pause(self, tries: int, error: MaloteError) -> Optional[float]:
        """How long to wait after so many tries; None: give up."""
        if not error.temporary or tries >= self.tries or error.retry_after > self.longest:
            return None
        half = min(self.first * 2.0 ** min(tries - 1, 32), self.longest) / 2
        return max(half, error.retry_after) + self.random() * half


def retry_after(header: str, now: datetime) -> float:
    """Reads Retry-After, in seconds or as a date (RFC 9110 section 10.2.3); 0: none."""
    if header.isascii() and header.isdigit():
        return min(float(header[:12]), _MOST_RETRY_AFTER)
    try:
        at = email.utils.parsedate_to_datetime(header)
    except (TypeError, ValueError, IndexError):
        return 0.0
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return min(max((at - now).total_seconds(), 0.0), _MOST_RETRY_AFTER)
