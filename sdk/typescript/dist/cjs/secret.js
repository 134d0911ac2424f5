"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Secret = exports.prefixes = void 0;
exports.keyOf = keyOf;
exports.generateSecret = generateSecret;
const bytes_js_1 = require("./bytes.js");
const key_js_1 = require("./key.js");
const usage_error_js_1 = require("./usage-error.js");
const web_crypto_js_1 = require("./web-crypto.js");
exports.prefixes = {
    symmetric: "whsec_",
    ed25519_private: "whsk_",
    ed25519_public: "whpk_",
};
/** As long as the output of SHA-256, which RFC 2104 section 3 names as the useful minimum. */
const generatedBytes = 32;
/** Beside the secrets rather than in them, so that nothing that prints one shows its key. */
const keys = new WeakMap();
/**
 * A key for signing or verifying webhooks, from parseSecret. It never shows
 * itself: printed, logged or encoded as JSON it is a placeholder.
 *
 * Keep it and use it again rather than parsing it for every call.
 */
class Secret {
    /** @internal */
    constructor(key) {
        keys.set(this, key);
    }
    get kind() {
        return keyOf(this).kind;
    }
    /** The secret itself, prefix and base64. Show it once, to its owner; never log it. */
    reveal() {
        return exports.prefixes[this.kind] + (0, bytes_js_1.toBase64)(keyOf(this).raw);
    }
    toString() {
        return `${exports.prefixes[this.kind]}[redacted]`;
    }
    toJSON() {
        return this.toString();
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
        return this.toString();
    }
}
exports.Secret = Secret;
function keyOf(secret) {
    const key = secret && keys.get(secret);
    if (!key) {
        throw new usage_error_js_1.UsageError("no_secret");
    }
    return key;
}
/** A new symmetric secret of 32 random bytes. */
async function generateSecret() {
    return new Secret(new key_js_1.Key("symmetric", (await (0, web_crypto_js_1.webCrypto)()).getRandomValues(new Uint8Array(generatedBytes))));
}
