"""What all errors of this package have in common."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Type


class PortableError(Exception):
    """An error that survives pickling, as task queues and test runners do it, with
    all that it says, whatever its constructor takes."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: Type[PortableError], args: Tuple[Any, ...], state: Dict[str, Any]) -> PortableError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error
