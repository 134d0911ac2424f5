"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SecretError = void 0;
function sentence(reason, bytes, limit) {
    switch (reason) {
        case "secret_empty":
            return "the secret is empty: paste the whole secret, from whsec_ to its end";
        case "secret_unknown_prefix":
            return "the secret has none of the prefixes whsec_, whsk_ and whpk_: paste the webhook secret, not another kind of key";
        case "secret_not_base64":
            return "the secret is not base64: paste it in one piece, from its prefix to its end";
        case "secret_too_short":
            return `the secret has ${bytes} bytes and needs at least ${limit}: have a new one generated, or read another sender's with parseForeignSecret`;
        case "secret_too_long":
            return `the secret has ${bytes} bytes and may have at most ${limit}: have a new one generated`;
        case "secret_bad_key_length":
            return `the key has ${bytes} bytes: an ed25519 public key (whpk_) has 32, a private key (whsk_) 32 or 64`;
        case "secret_key_mismatch":
            return "the two halves of the private key do not belong together: export the key pair again";
    }
}
/** A secret that cannot be used. The message holds no character of it. */
class SecretError extends Error {
    reason;
    bytes;
    limit;
    name = "SecretError";
    constructor(reason, 
    /** How many bytes the text decoded to; 0 when it did not decode. */
    bytes = 0, 
    /** The limit that was missed, when it is too short or too long. */
    limit = 0) {
        super(sentence(reason, bytes, limit));
        this.reason = reason;
        this.bytes = bytes;
        this.limit = limit;
    }
}
exports.SecretError = SecretError;
