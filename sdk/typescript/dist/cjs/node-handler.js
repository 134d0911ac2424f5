"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.nodeHandler = nodeHandler;
const bytes_js_1 = require("./bytes.js");
const receiver_js_1 = require("./receiver.js");
const usage_error_js_1 = require("./usage-error.js");
/**
 * A complete receiver for node:http and what is built on it, such as Express: it
 * caps the body, verifies it, calls `handle` once per webhook-id and answers
 *
 * - 200 `{"id", "duplicate"}` when `handle` returned, now or on an earlier request;
 * - 500 when it threw, or what a StatusError asks for; the id is free again, so
 *   that the sender's next attempt is handled anew;
 * - 503 with Retry-After while another request with the same id is being handled,
 *   or when the store cannot tell;
 * - 401 for a signature that does not hold or a timestamp out of tolerance, 400
 *   for missing or unreadable headers or a broken-off body, 405 for anything but
 *   POST, 413 for a body over the limit.
 *
 * Errors are application/problem+json with the reason as `code`.
 *
 * The body must be as it arrived: mount this before body parsers. A Buffer that
 * express.raw() or the platform left in `req.body` or `req.rawBody` will do.
 */
function nodeHandler(secrets, handle, options = {}) {
    const receiver = new receiver_js_1.Receiver(secrets, handle, options);
    return async (request, response) => {
        const { status, headers, body } = await receiver.receive({
            method: request.method,
            headers: pairs(request.rawHeaders),
            read: (limit) => readBody(request, limit),
        });
        response.writeHead(status, { ...headers, "content-length": String((0, bytes_js_1.toBytes)(body).length) });
        response.end(body);
    };
}
/** rawHeaders alternates names and values, and keeps apart what is there twice. */
function* pairs(rawHeaders) {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
        yield [rawHeaders[i], rawHeaders[i + 1]];
    }
}
async function readBody(request, limit) {
    const whole = [request.rawBody, request.body].find((body) => typeof body === "string" || body instanceof Uint8Array);
    if (whole !== undefined) {
        const bytes = (0, bytes_js_1.toBytes)(whole);
        return bytes.length > limit ? undefined : bytes;
    }
    if (request.readableDidRead) {
        throw new usage_error_js_1.UsageError("parsed_body");
    }
    const declared = [...pairs(request.rawHeaders)].find(([name]) => name.toLowerCase() === "content-length");
    if (declared && Number(declared[1]) > limit) {
        return undefined;
    }
    return collect(request, limit);
}
function collect(request, limit) {
    const parts = [];
    let length = 0;
    return new Promise((resolve, reject) => {
        request.on("data", (part) => {
            const bytes = (0, bytes_js_1.toBytes)(part);
            length += bytes.length;
            if (length <= limit) {
                parts.push(bytes);
                return;
            }
            // The rest flows by unkept: a connection closed with bytes unread would
            // take the answer with it.
            parts.length = 0;
            resolve(undefined);
        });
        request.on("end", () => resolve((0, bytes_js_1.concat)(...parts)));
        request.on("error", reject);
        request.on("close", () => reject(new Error("the connection closed within the body")));
    });
}
