import { toBase64 } from "./bytes.js";
import { Key } from "./key.js";
import { UsageError } from "./usage-error.js";
import { webCrypto } from "./web-crypto.js";
export const prefixes = {
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
export class Secret {
    /** @internal */
    constructor(key) {
        keys.set(this, key);
    }
    get kind() {
        return keyOf(this).kind;
    }
    /** The secret itself, prefix and base64. Show it once, to its owner; never log it. */
    reveal() {
        return prefixes[this.kind] + toBase64(keyOf(this).raw);
    }
    toString() {
        return `${prefixes[this.kind]}[redacted]`;
    }
    toJSON() {
        return this.toString();
    }
    [Symbol.for("nodejs.util.inspect.custom")]() {
        return this.toString();
    }
}
export function keyOf(secret) {
    const key = secret && keys.get(secret);
    if (!key) {
        throw new UsageError("no_secret");
    }
    return key;
}
/** A new symmetric secret of 32 random bytes. */
export async function generateSecret() {
    return new Secret(new Key("symmetric", (await webCrypto()).getRandomValues(new Uint8Array(generatedBytes))));
}
