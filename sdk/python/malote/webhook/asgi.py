"""A Receiver as an ASGI application, for Starlette, FastAPI, Django and others."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, Optional, TypeVar, Union

from .answer import Answer
from .headers import Headers
from .seen import Claim
from .verifying import Message

if TYPE_CHECKING:
    from .receiver import Receiver

_T = TypeVar("_T")
Receive = Callable[[], Awaitable[Dict[str, Any]]]
Send = Callable[[Dict[str, Any]], Awaitable[None]]


class _Gone(Exception):
    """The sender hung up before its body was complete."""


class AsgiApplication:
    """The receiver at whatever path it is routed to.

    An object and not a function, so that Starlette takes it for an application.
    """

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    async def __call__(self, scope: Dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1002})
        else:
            await self._respond(scope, receive, send)

    async def _respond(self, scope: Dict[str, Any], receive: Receive, send: Send) -> None:
        try:
            answer = self._receiver.observed(await _answer(self._receiver, scope, receive))
        except _Gone as error:
            self._receiver.observed(self._receiver.broken_off(error))
            return
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        event = (await receive())["type"]
        await send({"type": event + ".complete"})
        if event == "lifespan.shutdown":
            return


async def _answer(receiver: Receiver, scope: Dict[str, Any], receive: Receive) -> Answer:
    headers = Headers(scope["headers"])
    envelope = receiver.open(scope["method"], headers)
    if isinstance(envelope, Answer):
        return envelope
    collected = await _collect(receiver, headers, receive)
    if isinstance(collected, Answer):
        return collected
    message = receiver.check(envelope, headers, collected)
    if isinstance(message, Answer):
        return message
    if _is_coroutine_function(receiver.handle):
        return await _handle_once(receiver, message)
    # In one thread from claim to settlement, which end together although the
    # server may give up waiting for them.
    return await asyncio.shield(_in_thread(receiver.handle_once, message))


def _is_coroutine_function(handle: Any) -> bool:
    return inspect.iscoroutinefunction(handle) or inspect.iscoroutinefunction(getattr(handle, "__call__", None))


async def _collect(receiver: Receiver, headers: Headers, receive: Receive) -> Union[bytes, Answer]:
    body = bytearray()
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise _Gone
        body += event.get("body", b"")
        if len(body) > receiver.max_body or not event.get("more_body", False):
            return receiver.collect(headers, [bytes(body)])


async def _handle_once(receiver: Receiver, message: Message) -> Answer:
    """Receiver.handle_once for a coroutine function."""
    claim = await _claim(receiver, message)
    if isinstance(claim, Answer):
        return claim
    error: Optional[Exception] = None
    try:
        await receiver.handle(dataclasses.replace(message, claim=claim))
    except Exception as raised:
        error = raised
    except BaseException:  # cancelled, when the sender hung up or the server stops
        await asyncio.shield(_in_thread(claim.release))
        raise
    if error is not None:
        return await asyncio.shield(_in_thread(receiver.give_up, message, claim, error))
    return await asyncio.shield(_in_thread(receiver.finish, message, claim))


async def _claim(receiver: Receiver, message: Message) -> Union[Claim, Answer]:
    claiming = _in_thread(receiver.claim, message)
    try:
        return await asyncio.shield(claiming)
    except asyncio.CancelledError:
        claiming.add_done_callback(_release)  # nobody is left to handle it
        raise


def _release(claiming: "asyncio.Future[Union[Claim, Answer]]") -> None:
    if not claiming.cancelled() and claiming.exception() is None and not isinstance(claiming.result(), Answer):
        _in_thread(claiming.result().release)  # type: ignore[union-attr]


def _in_thread(function: Callable[..., _T], *arguments: Any) -> "asyncio.Future[_T]":
    return asyncio.ensure_future(asyncio.to_thread(function, *arguments))
