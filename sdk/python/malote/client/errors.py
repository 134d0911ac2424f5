"""What a request to Malote can fail with."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, Callable, Dict, List, Optional

from .._errors import PortableError

# Codes of failures that are not an answer of Malote's; see also /docs#problems of
# a running Malote for all others.
NO_ANSWER = "no_answer"
REDIRECTED = "redirected"
NOT_MALOTE = "not_malote"
UNUSABLE_ANSWER = "unusable_answer"


class MaloteError(PortableError):
    """A request failed. ``code`` is the stable name that programs branch on."""

    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        *,
        errors: Optional[List[Dict[str, str]]] = None,
        index: Optional[int] = None,
        request_id: str = "",
        retry_after: float = 0,
    ) -> None:
        self.status = status
        """Of the answer, such as 409; 0: there was none."""
        self.code = code
        self.title = title
        """The status in words."""
        self.detail = detail
        """What is wrong with this request and what to do about it, for people."""
        self.errors = errors or []
        """The parts of the request that are wrong, each {"field", "detail"}."""
        self.index = index
        """Which event of a batch is wrong, counted from 0; None: none of them."""
        self.request_id = request_id
        """Under which Malote's log has an internal failure."""
        self.retry_after = retry_after
        """How many seconds Malote asks to wait; 0: it does not say."""
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        text = f"{self.code} ({self.status}): {self.detail}" if self.status else f"{self.code}: {self.detail}"
        for part in self.errors:
            if part["detail"] not in self.detail:  # of a single one it has it
                text += f" {part['field']}: {part['detail']}"
        if self.request_id:
            text += f" (request_id {self.request_id})"
        # What others wrote must not look like lines of a log.
        return "".join(c if c.isprintable() else " " for c in text)

    @property
    def temporary(self) -> bool:
        """Whether the same request may succeed in a moment."""
        return self.status in (0, 429, 502, 503, 504)


class NoAnswerError(MaloteError):
    """No whole answer came: whether the request took effect is not known, unless
    ``sent`` is False. ``__cause__`` is what happened."""

    def __init__(self, detail: str, *, sent: bool, temporary: bool = True) -> None:
        super().__init__(0, NO_ANSWER, "", detail)
        self.sent = sent
        self._temporary = temporary

    @property
    def temporary(self) -> bool:
        return self._temporary


def error_of(
    status: int, content_type: str, location: str, body: bytes, retry_after: float, hide: Callable[[str], str]
) -> MaloteError:
    """The error that an answer means. What cannot be read leaves its status."""
    title = _title(status)
    problem = _read(content_type, body)
    if 300 <= status < 400:
        detail = f"the answer leads to {hide(location) or 'nowhere'}, which is not followed: give Malote's own address"
        return MaloteError(status, REDIRECTED, title, detail)
    if problem is None:
        detail = "the answer is not in Malote's form: is this the address of a Malote, and nothing in between?"
        return MaloteError(status, NOT_MALOTE, title, detail, retry_after=retry_after)
    errors = [
        {"field": hide(_text(part.get("field"))), "detail": hide(_text(part.get("detail")))}
        for part in _list(problem.get("errors"))
        if isinstance(part, dict)
    ]
    index = problem.get("index")
    return MaloteError(
        status,
        hide(_text(problem.get("code"))),
        hide(_text(problem.get("title"))) or title,
        hide(_text(problem.get("detail"))),
        errors=errors,
        index=index if isinstance(index, int) else None,
        request_id=hide(_text(problem.get("request_id"))),
        retry_after=retry_after,
    )


def _read(content_type: str, body: bytes) -> Optional[Dict[str, Any]]:
    if not content_type.startswith("application/problem+json"):
        return None
    try:
        problem = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return problem if isinstance(problem, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> List[Any]:
    return value if isinstance(value, list) else []


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
