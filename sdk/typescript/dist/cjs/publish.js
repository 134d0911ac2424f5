"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.encodeEvent = encodeEvent;
const bytes_js_1 = require("./bytes.js");
const web_crypto_js_1 = require("./web-crypto.js");
/** The event as JSON, with an idempotency key, so that a repeat after a lost answer adds nothing. */
async function encodeEvent({ data, body, ...event }) {
    const idempotency_key = event.idempotency_key ?? (await (0, web_crypto_js_1.webCrypto)()).randomUUID();
    const rest = JSON.stringify({ ...event, idempotency_key, ...(body && { body_base64: (0, bytes_js_1.toBase64)((0, bytes_js_1.toBytes)(body)) }) });
    return data === undefined ? rest : `${rest.slice(0, -1)},"data":${dataText(data)}}`;
}
function dataText(data) {
    if (typeof data !== "string" && !(data instanceof Uint8Array)) {
        const text = JSON.stringify(data);
        if (text === undefined) {
            throw new TypeError(`data is a ${typeof data}, which JSON has not`);
        }
        return text;
    }
    const text = typeof data === "string" ? data : utf8Text(data);
    // Half a character would become another one on its way.
    if (/\p{Surrogate}/u.test(text)) {
        throw new TypeError("data has half of a surrogate pair in it: write it as an escape");
    }
    // Whatever else than one JSON value would be members of the event.
    try {
        JSON.parse(text);
    }
    catch (cause) {
        throw new TypeError("data, given as text, must be JSON: pass a value, or JSON.stringify it", { cause });
    }
    return text;
}
function utf8Text(bytes) {
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    }
    catch (cause) {
        throw new TypeError("data, given as bytes, must be JSON in UTF-8: give other bytes as body", { cause });
    }
}
