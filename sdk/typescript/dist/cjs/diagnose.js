"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.diagnose = diagnose;
const bytes_js_1 = require("./bytes.js");
const key_js_1 = require("./key.js");
const match_js_1 = require("./match.js");
const reencode_js_1 = require("./reencode.js");
const verify_error_js_1 = require("./verify-error.js");
/** Bounds what a forged request can cost: finding the cause hashes a body about twenty times. */
const maxDiagnosedBody = 16 << 10;
const maxDiagnosedSignatures = 3;
/**
 * Finds out why nothing matched, by trying what senders and the machinery in
 * front of receivers are known to get wrong. What it tells is no help to a
 * forger: every answer but the first and the last needs a signature that the
 * secret made.
 */
async function diagnose(keys, { head, list }, body) {
    if (!keys.some((key) => list.some(({ version }) => version === key.version))) {
        return new verify_error_js_1.VerifyError("bad_signature", { diagnosis: "unusable_version" });
    }
    if (body.length > maxDiagnosedBody) {
        return new verify_error_js_1.VerifyError("bad_signature");
    }
    const few = list.slice(0, maxDiagnosedSignatures);
    const message = (0, bytes_js_1.concat)(head, body);
    if ((await (0, match_js_1.firstMatch)(keys, message, otherEncodings(few))) >= 0) {
        return new verify_error_js_1.VerifyError("bad_signature", { diagnosis: "signature_encoding" });
    }
    if ((await (0, match_js_1.firstMatch)(keys.flatMap(undecoded), message, few)) >= 0) {
        return new verify_error_js_1.VerifyError("bad_signature", { diagnosis: "secret_not_decoded" });
    }
    for (const [detail, original] of (0, reencode_js_1.originals)(body)) {
        if ((await (0, match_js_1.firstMatch)(keys, (0, bytes_js_1.concat)(head, original), few)) >= 0) {
            return new verify_error_js_1.VerifyError("bad_signature", { diagnosis: "body_reencoded", detail });
        }
    }
    return new verify_error_js_1.VerifyError("bad_signature", { diagnosis: "wrong_secret" });
}
/** Reads each signature in every way that is not the scheme's. */
function otherEncodings(list) {
    return list.flatMap(({ version, text }) => [bytes_js_1.fromHex, bytes_js_1.fromBase64, bytes_js_1.fromBase64Url].flatMap((decode) => {
        const sum = decode(text.replace(/=+$/, ""));
        return sum ? [{ version, text, sum }] : [];
    }));
}
/** The secret's text, with and without its prefix, as keys. */
function undecoded(key) {
    if (key.kind !== "symmetric") {
        return [];
    }
    const text = (0, bytes_js_1.toBase64)(key.raw);
    return [`whsec_${text}`, text].map((raw) => new key_js_1.Key("symmetric", (0, bytes_js_1.utf8)(raw)));
}
