"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Key = void 0;
const bytes_js_1 = require("./bytes.js");
const secret_error_js_1 = require("./secret-error.js");
const web_crypto_js_1 = require("./web-crypto.js");
const hmac = { name: "HMAC", hash: "SHA-256" };
const seedBytes = 32;
/** What precedes the seed of an ed25519 key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Head = Uint8Array.of(0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20);
/** The inside of a Secret: its bytes, and the keys made of them when first needed. */
class Key {
    kind;
    raw;
    foreign;
    #signing;
    #verifying;
    constructor(kind, 
    /** A private key may have its public half behind the seed. */
    raw, 
    /** Made by another sender's rules: it only verifies. */
    foreign = false) {
        this.kind = kind;
        this.raw = raw;
        this.foreign = foreign;
    }
    get canSign() {
        return this.kind !== "ed25519_public" && !this.foreign;
    }
    /** The version of the signatures that this key makes or checks. */
    get version() {
        return this.kind === "symmetric" ? "v1" : "v1a";
    }
    /** HMAC-SHA256, of a symmetric key. */
    async digest(message) {
        const { subtle } = await (0, web_crypto_js_1.webCrypto)();
        this.#signing ??= subtle.importKey("raw", this.raw, hmac, false, ["sign"]);
        return new Uint8Array(await subtle.sign(hmac, await this.#signing, message));
    }
    /** An ed25519 signature, of a private key. */
    async sign(message) {
        const { subtle } = await (0, web_crypto_js_1.webCrypto)();
        return new Uint8Array(await subtle.sign("Ed25519", await this.#private(), message));
    }
    /** Whether the ed25519 signature holds, of a private or public key. */
    async verify(message, signature) {
        const { subtle } = await (0, web_crypto_js_1.webCrypto)();
        this.#verifying ??= this.#public().then((raw) => subtle.importKey("raw", raw, "Ed25519", false, ["verify"]));
        return subtle.verify("Ed25519", await this.#verifying, signature, message);
    }
    #private() {
        this.#signing ??= (async () => {
            const { subtle } = await (0, web_crypto_js_1.webCrypto)();
            const seed = this.raw.subarray(0, seedBytes);
            const key = await subtle.importKey("pkcs8", (0, bytes_js_1.concat)(pkcs8Head, seed), "Ed25519", true, ["sign"]);
            // Signing with a public half that does not belong to the seed gives the
            // seed away to whoever sees two signatures.
            const half = this.raw.subarray(seedBytes);
            if (half.length > 0 && !(0, bytes_js_1.equal)(half, await publicHalf(subtle, key))) {
                throw new secret_error_js_1.SecretError("secret_key_mismatch", this.raw.length);
            }
            return key;
        })();
        return this.#signing;
    }
    async #public() {
        if (this.kind === "ed25519_public") {
            return this.raw;
        }
        return publicHalf((await (0, web_crypto_js_1.webCrypto)()).subtle, await this.#private());
    }
}
exports.Key = Key;
async function publicHalf(subtle, key) {
    const { x } = await subtle.exportKey("jwk", key);
    return (0, bytes_js_1.fromBase64Url)(x ?? "") ?? new Uint8Array();
}
