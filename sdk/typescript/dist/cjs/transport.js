"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Transport = exports.longTimeout = void 0;
const bytes_js_1 = require("./bytes.js");
const malote_error_js_1 = require("./malote-error.js");
const retry_js_1 = require("./retry.js");
const web_crypto_js_1 = require("./web-crypto.js");
/** How long a try waits at least where a receiver or a backlog says how long the work lasts. */
exports.longTimeout = 370_000;
/** Sends requests to one Malote with one key, again where that does no harm. */
class Transport {
    #base;
    #key;
    #timeout;
    #tries;
    #fetch;
    constructor({ url, key, timeout = 30_000, tries = 5, fetch: own }) {
        this.#base = checkBase(url);
        this.#key = key?.trim() ?? "";
        if (!/^[!-~]+$/.test(this.#key)) {
            throw new TypeError("key must be an API key: printable ASCII characters, without white space");
        }
        this.#timeout = timeout;
        this.#tries = tries;
        this.#fetch = own ?? ((input, init) => fetch(input, init));
    }
    /** Makes a call and reads the JSON of its answer. */
    async json(method, path, request = {}) {
        const answer = await this.bytes(method, path, request);
        return (answer.length > 0 ? JSON.parse(new TextDecoder().decode(answer)) : undefined);
    }
    /** Makes a call and returns its answer as it is. */
    async bytes(method, path, request = {}) {
        const name = { method: method.toUpperCase(), path: fill(path, request.params ?? {}) };
        const text = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
        const headers = await this.#headers(request, text !== undefined);
        const url = this.#base + name.path + queryText(request.query ?? {});
        const init = { method: name.method, headers, ...(text !== undefined && { body: (0, bytes_js_1.utf8)(text) }) };
        const repeatable = method === "get" || request.repeatable || request.creates;
        for (let tries = 1;; tries++) {
            try {
                return await this.#try(name, url, init, request);
            }
            catch (error) {
                const pause = repeatable && tries < this.#tries ? (0, retry_js_1.pauseAfter)(tries, error) : undefined;
                if (pause === undefined) {
                    throw error;
                }
                await (0, retry_js_1.sleep)(pause, request.signal);
            }
        }
    }
    async #headers(request, hasBody) {
        const headers = {
            authorization: `Bearer ${this.#key}`,
            accept: request.accept ?? "application/json",
        };
        if (hasBody) {
            headers["content-type"] = "application/json";
        }
        if (request.creates) {
            headers["idempotency-key"] = request.idempotencyKey ?? (await (0, web_crypto_js_1.webCrypto)()).randomUUID();
        }
        return headers;
    }
    async #try(name, url, init, options) {
        const { signal, timeout = this.#timeout } = options;
        signal?.throwIfAborted();
        const controller = new AbortController();
        const late = () => controller.abort(new Error(`no whole answer within ${timeout} ms`));
        const timer = setTimeout(late, timeout);
        const aborted = () => controller.abort(signal?.reason);
        signal?.addEventListener("abort", aborted, { once: true });
        try {
            // A redirect would turn a POST into a GET, and carry the key elsewhere.
            const response = await this.#fetch(url, { ...init, redirect: "manual", signal: controller.signal });
            const body = (0, bytes_js_1.toBytes)(await response.arrayBuffer());
            if (!response.ok) {
                throw this.#refusal(name, response, body);
            }
            return body;
        }
        catch (error) {
            signal?.throwIfAborted();
            throw error instanceof malote_error_js_1.MaloteError ? error : new malote_error_js_1.ConnectionError(name, error);
        }
        finally {
            clearTimeout(timer);
            signal?.removeEventListener("abort", aborted);
        }
    }
    #refusal(name, response, body) {
        const retryAfter = (0, retry_js_1.readRetryAfter)(response.headers.get("retry-after"), new Date());
        let problem = {};
        if (response.headers.get("content-type")?.startsWith("application/problem+json")) {
            try {
                // Whatever stands between may echo the request, and with it the key.
                problem = JSON.parse(new TextDecoder().decode(body).replaceAll(this.#key, "[key]"));
            }
            catch {
                // What cannot be read of a failure leaves its status.
            }
        }
        return new malote_error_js_1.MaloteError(name, response.status, problem, retryAfter);
    }
}
exports.Transport = Transport;
/** Does not repeat what it refuses: there may be a password in it. */
function checkBase(url) {
    let base;
    try {
        base = new URL(url);
    }
    catch {
        // It is refused below.
    }
    if (!base || !/^https?:$/.test(base.protocol)) {
        throw new TypeError("url must be a server's address, such as https://malote.example.com");
    }
    if (base.username || base.password || base.search || base.hash) {
        throw new TypeError("url must have no user, query or fragment: the key alone says who asks");
    }
    return base.href.replace(/\/+$/, "");
}
function fill(path, params) {
    const values = params;
    return path.replace(/\{(\w+)\}/g, (_, name) => {
        const value = values[name] ?? "";
        // Dots alone would lead to another path.
        if (/^\.{0,2}$/.test(value)) {
            throw new TypeError(`${name} ${JSON.stringify(value)} names nothing`);
        }
        return encodeURIComponent(value);
    });
}
function queryText(query) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text && `?${text}`;
}
