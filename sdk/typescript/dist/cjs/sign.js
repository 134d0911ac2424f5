"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sign = sign;
const bytes_js_1 = require("./bytes.js");
const envelope_js_1 = require("./envelope.js");
const scheme_js_1 = require("./scheme.js");
const secret_parse_js_1 = require("./secret-parse.js");
const usage_error_js_1 = require("./usage-error.js");
/**
 * Returns the value of the webhook-signature header, with a signature of every
 * secret in the order given. `timestamp` is the time of this attempt; its whole
 * seconds must be what the header webhook-timestamp says.
 *
 * Malote signs what it sends; this is for tests, and for senders of your own.
 */
async function sign(id, timestamp, payload, secrets, options = {}) {
    const scheme = (0, scheme_js_1.checkScheme)(options.scheme ?? "standard");
    const seconds = Math.floor(timestamp.getTime() / 1000);
    if (!(0, envelope_js_1.validId)(id)) {
        throw new usage_error_js_1.UsageError("bad_id");
    }
    if (!(seconds > 0 && seconds < envelope_js_1.maxTimestamp)) {
        throw new usage_error_js_1.UsageError("bad_timestamp");
    }
    const keys = (0, secret_parse_js_1.keysOf)(secrets);
    if (scheme === "hex" && keys.some((key) => key.kind !== "symmetric")) {
        throw new usage_error_js_1.UsageError("not_symmetric");
    }
    if (keys.some((key) => !key.canSign)) {
        throw new usage_error_js_1.UsageError("cannot_sign");
    }
    const message = (0, bytes_js_1.concat)((0, scheme_js_1.signedHead)(scheme, id, String(seconds)), (0, bytes_js_1.toBytes)(payload));
    const signatures = keys.map(async (key) => ({
        version: key.version,
        sum: key.kind === "symmetric" ? await key.digest(message) : await key.sign(message),
    }));
    return (0, scheme_js_1.writeSignatures)(scheme, await Promise.all(signatures));
}
