"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Verifier = exports.defaultTolerance = void 0;
exports.verify = verify;
const bytes_js_1 = require("./bytes.js");
const diagnose_js_1 = require("./diagnose.js");
const envelope_js_1 = require("./envelope.js");
const headers_js_1 = require("./headers.js");
const match_js_1 = require("./match.js");
const message_js_1 = require("./message.js");
const scheme_js_1 = require("./scheme.js");
const secret_parse_js_1 = require("./secret-parse.js");
const usage_error_js_1 = require("./usage-error.js");
/** How far a timestamp may be from now, in seconds and in either direction. */
exports.defaultTolerance = 300;
/**
 * Says whether a webhook is genuine and in time, and returns what it says. The
 * payload must be the bytes exactly as they arrived: nothing is parsed before the
 * signature holds. Every refusal is a VerifyError; a SecretError or UsageError is
 * the receiver's own mistake.
 *
 * It remembers nothing: a repetition within the tolerance is verified again, and
 * it is for the caller to recognise its id. nodeHandler and fetchHandler do.
 */
async function verify(payload, headers, secrets, options = {}) {
    const verifier = new Verifier(secrets, options);
    const body = (0, bytes_js_1.toBytes)(payload);
    const values = new headers_js_1.HeaderValues(headers);
    return verifier.check(verifier.open(values), values, body);
}
/** verify, for many webhooks and in two steps. */
class Verifier {
    #keys;
    #scheme;
    #tolerance;
    #now;
    constructor(secrets, { scheme = "standard", tolerance = exports.defaultTolerance, now } = {}) {
        this.#keys = (0, secret_parse_js_1.keysOf)(secrets);
        this.#scheme = (0, scheme_js_1.checkScheme)(scheme);
        this.#tolerance = Math.trunc(tolerance);
        this.#now = typeof now === "function" ? now : () => now ?? new Date();
        if (!(tolerance >= 0)) {
            throw new usage_error_js_1.UsageError("bad_option", `the tolerance ${tolerance} is not a number of seconds from 0 on`);
        }
        if (scheme === "hex" && this.#keys.some((key) => key.kind !== "symmetric")) {
            throw new usage_error_js_1.UsageError("not_symmetric");
        }
    }
    /** Checks the headers alone, before the body is read. */
    open(headers) {
        return (0, envelope_js_1.openEnvelope)(this.#scheme, headers, { tolerance: this.#tolerance, now: this.#now() });
    }
    async check(envelope, headers, body) {
        const message = (0, bytes_js_1.concat)(envelope.head, body);
        const secret = await (0, match_js_1.firstMatch)(this.#keys, message, envelope.list);
        if (secret < 0) {
            throw await (0, diagnose_js_1.diagnose)(this.#keys, envelope, body);
        }
        return new message_js_1.Message(envelope.id, envelope.seconds, secret, body, headers);
    }
}
exports.Verifier = Verifier;
