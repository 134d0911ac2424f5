"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.fetchHandler = fetchHandler;
const bytes_js_1 = require("./bytes.js");
const receiver_js_1 = require("./receiver.js");
const usage_error_js_1 = require("./usage-error.js");
/**
 * A complete receiver for runtimes that speak Fetch (Next.js, Hono, Deno,
 * Cloudflare Workers, Bun): it caps the body, verifies it, calls `handle` once
 * per webhook-id and answers so that the sender retries exactly when it should.
 * The answers are those of nodeHandler.
 */
function fetchHandler(secrets, handle, options = {}) {
    const receiver = new receiver_js_1.Receiver(secrets, handle, options);
    return async (request) => {
        const { status, headers, body } = await receiver.receive({
            method: request.method,
            headers: request.headers,
            read: (limit) => readBody(request, limit),
        });
        return new Response(body, { status, headers });
    };
}
async function readBody(request, limit) {
    if (request.bodyUsed) {
        throw new usage_error_js_1.UsageError("parsed_body", "the request's body was read before: give fetchHandler the request before anything calls json() or text() on it");
    }
    if (Number(request.headers.get("content-length")) > limit) {
        return undefined;
    }
    const parts = [];
    let length = 0;
    const reader = request.body?.getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        length += part.value.length;
        if (length > limit) {
            await reader?.cancel();
            return undefined;
        }
        parts.push(part.value);
    }
    return (0, bytes_js_1.concat)(...parts);
}
