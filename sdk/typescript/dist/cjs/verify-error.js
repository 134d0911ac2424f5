"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.VerifyError = void 0;
const causes = {
    unusable_version: "none is of a version that this receiver's secrets can check (v1 for whsec_, v1a for whpk_)",
    signature_encoding: "it is right but in the wrong encoding; the scheme's own is required",
    secret_not_decoded: "the sender used the secret's text as the key; the key is what follows whsec_ after base64 decoding",
    wrong_secret: "another secret signed, or the body was changed after signing",
};
function cause({ diagnosis, detail }) {
    if (diagnosis === undefined) {
        return "the body is too large to look for the cause";
    }
    if (diagnosis === "body_reencoded") {
        return `the body was re-encoded after signing (${detail}); verify the bytes exactly as they arrived`;
    }
    return causes[diagnosis];
}
function sentence(reason, details) {
    const { header, skewSeconds = 0, tolerance, detail } = details;
    switch (reason) {
        case "missing_header":
            return `the header ${header} is missing: send webhook-id, webhook-timestamp and webhook-signature`;
        case "malformed":
            return `the header ${header} cannot be read: ${detail}`;
        case "stale":
            return (`the timestamp is ${skewSeconds} s old and may be ${tolerance} s: ` +
                "sign every attempt with its own time, and compare the clocks");
        case "future":
            return `the timestamp is ${-skewSeconds} s ahead and may be ${tolerance} s: compare the clocks of sender and receiver`;
        case "bad_signature":
            return `no signature matches: ${cause(details)}`;
    }
}
/**
 * A webhook that is not genuine or not in time. The message says what to do,
 * holds neither body nor secret, and may be shown to the sender.
 */
class VerifyError extends Error {
    reason;
    name = "VerifyError";
    header;
    skewSeconds;
    tolerance;
    diagnosis;
    detail;
    constructor(reason, details = {}) {
        super(sentence(reason, details));
        this.reason = reason;
        Object.assign(this, details);
    }
}
exports.VerifyError = VerifyError;
