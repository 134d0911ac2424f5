"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.maxTimestamp = void 0;
exports.validId = validId;
exports.openEnvelope = openEnvelope;
const scheme_js_1 = require("./scheme.js");
const usage_error_js_1 = require("./usage-error.js");
const verify_error_js_1 = require("./verify-error.js");
const standardNames = {
    id: "webhook-id",
    timestamp: "webhook-timestamp",
    signature: "webhook-signature",
};
/** What Standard Webhooks was called before it was a standard; Svix and others still send them. */
const svixNames = { id: "svix-id", timestamp: "svix-timestamp", signature: "svix-signature" };
/** The first second that cannot be meant: of today's milliseconds taken for seconds. */
exports.maxTimestamp = 100_000_000_000;
/** Bounds what a store of seen ids has to keep; no id breaks out of its header. */
function validId(id) {
    return /^[!-~]{1,256}$/.test(id) && !id.includes(".");
}
/** Reads and checks the headers alone, so that a request may be refused before its body is read. */
function openEnvelope(scheme, headers, window) {
    const names = chooseNames(scheme, headers);
    for (const name of [names.id, names.timestamp, names.signature]) {
        if (headers.all(name).join("") === "") {
            throw new verify_error_js_1.VerifyError("missing_header", { header: name });
        }
    }
    const id = single(headers, names.id);
    if (!validId(id)) {
        throw malformed(names.id, usage_error_js_1.idRule);
    }
    const timestamp = single(headers, names.timestamp);
    const seconds = parseSeconds(names.timestamp, timestamp);
    const list = (0, scheme_js_1.readSignatures)(scheme, headers.all(names.signature));
    if (!list) {
        throw malformed(names.signature, `it has more than ${scheme_js_1.maxSignatures} signatures`);
    }
    if (list.length === 0) {
        throw malformed(names.signature, scheme === "hex" ? "it has no v1=<hex>" : "it has no v1,<base64>");
    }
    checkTime(seconds, window);
    return { id, seconds, head: (0, scheme_js_1.signedHead)(scheme, id, timestamp), list };
}
/**
 * Chooses the spelling: the first that is complete, else the first of which
 * anything is there, so that an error names the header that is missing.
 */
function chooseNames(scheme, headers) {
    if (scheme === "hex") {
        return standardNames;
    }
    const present = (names) => Object.values(names).filter((name) => headers.first(name) !== "").length;
    const standard = present(standardNames);
    const svix = present(svixNames);
    return standard < 3 && (svix === 3 || (standard === 0 && svix > 0)) ? svixNames : standardNames;
}
/** Refuses a header that is there twice: which one was signed would be anyone's guess. */
function single(headers, name) {
    const values = headers.all(name);
    if (values.length !== 1) {
        throw malformed(name, "it must be there exactly once");
    }
    return values[0];
}
function parseSeconds(name, text) {
    if (!/^[0-9]{1,19}$/.test(text)) {
        throw malformed(name, "it must be whole seconds since 1970, digits only");
    }
    const seconds = Number(text);
    if (seconds >= exports.maxTimestamp) {
        throw malformed(name, "it must be seconds since 1970, and looks like milliseconds or less");
    }
    return seconds;
}
/** Compares whole seconds, as the header has no others. */
function checkTime(seconds, { tolerance, now }) {
    const skewSeconds = Math.floor(now.getTime() / 1000) - seconds;
    if (skewSeconds > tolerance) {
        throw new verify_error_js_1.VerifyError("stale", { skewSeconds, tolerance });
    }
    if (skewSeconds < -tolerance) {
        throw new verify_error_js_1.VerifyError("future", { skewSeconds, tolerance });
    }
}
function malformed(header, detail) {
    return new verify_error_js_1.VerifyError("malformed", { header, detail });
}
