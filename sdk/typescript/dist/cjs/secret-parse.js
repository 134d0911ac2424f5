"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.parseSecret = parseSecret;
exports.parseForeignSecret = parseForeignSecret;
exports.keysOf = keysOf;
const bytes_js_1 = require("./bytes.js");
const key_js_1 = require("./key.js");
const secret_error_js_1 = require("./secret-error.js");
const secret_js_1 = require("./secret.js");
const usage_error_js_1 = require("./usage-error.js");
/** The lengths a symmetric secret may have, in bytes after decoding. */
const minSecretBytes = 24;
const maxSecretBytes = 64;
const minForeignSecretBytes = 16;
/**
 * Reads a secret as people paste it: `whsec_` and base64, and also without the
 * prefix, without padding, in quotes, with white space around it, with a doubled
 * prefix, or with the `v1,` of the signature header in front. ed25519 keys are
 * `whsk_` (seed, or seed and public half) and `whpk_`.
 *
 * Throws SecretError; that the halves of a `whsk_` key do not belong together
 * turns out when it is first used.
 */
function parseSecret(text) {
    return new secret_js_1.Secret(parse(text, minSecretBytes, false));
}
/**
 * Like parseSecret, for a secret that another party's sender issued and its
 * receiver cannot choose: from 16 bytes on. The result only verifies.
 */
function parseForeignSecret(text) {
    return new secret_js_1.Secret(parse(text, minForeignSecretBytes, true));
}
/** The keys of all secrets; throws UsageError when there is none. */
function keysOf(secrets) {
    const list = typeof secrets === "string" || secrets instanceof secret_js_1.Secret ? [secrets] : secrets;
    // An environment variable that is not set comes as undefined, whatever the types say.
    if (!list || list.length === 0) {
        throw new usage_error_js_1.UsageError("no_secret");
    }
    return list.map((secret) => (0, secret_js_1.keyOf)(typeof secret === "string" ? parseSecret(secret) : secret));
}
function parse(text, minimum, foreign) {
    const [kind, encoded] = split(text);
    const raw = decode(encoded);
    if (kind === "symmetric") {
        if (raw.length < minimum) {
            throw new secret_error_js_1.SecretError("secret_too_short", raw.length, minimum);
        }
        if (raw.length > maxSecretBytes) {
            throw new secret_error_js_1.SecretError("secret_too_long", raw.length, maxSecretBytes);
        }
        return new key_js_1.Key(kind, raw, foreign);
    }
    if (raw.length !== 32 && !(kind === "ed25519_private" && raw.length === 64)) {
        throw new secret_error_js_1.SecretError("secret_bad_key_length", raw.length);
    }
    return new key_js_1.Key(kind, raw);
}
/** Takes off what surrounds the base64 of a pasted secret. */
function split(pasted) {
    let text = unquote(pasted.trim());
    for (const version of ["v1,", "v1a,"]) {
        text = (text.startsWith(version) ? text.slice(version.length) : text).trim();
    }
    if (text === "") {
        throw new secret_error_js_1.SecretError("secret_empty");
    }
    for (const [kind, prefix] of Object.entries(secret_js_1.prefixes)) {
        if (!text.startsWith(prefix)) {
            continue;
        }
        // A form that adds the prefix to a secret that has it makes two.
        while (text.startsWith(prefix)) {
            text = text.slice(prefix.length);
        }
        if (text === "") {
            throw new secret_error_js_1.SecretError("secret_empty");
        }
        // A prefix in the wrong place is URL-safe base64 itself, and would give a wrong key.
        if (Object.values(secret_js_1.prefixes).some((other) => text.startsWith(other))) {
            throw new secret_error_js_1.SecretError("secret_unknown_prefix");
        }
        return [kind, text];
    }
    // These are URL-safe base64, but without a known prefix they are more likely
    // those of another kind of key or of a UUID.
    if (/[_-]/.test(text)) {
        throw new secret_error_js_1.SecretError("secret_unknown_prefix");
    }
    return ["symmetric", text];
}
function unquote(text) {
    const quoted = /^(["'`])([^]*)\1$/.exec(text);
    return quoted ? quoted[2].trim() : text;
}
function decode(encoded) {
    const raw = /[-_]/.test(encoded) ? (0, bytes_js_1.fromBase64Url)(encoded) : (0, bytes_js_1.fromBase64)(encoded);
    if (!raw) {
        throw new secret_error_js_1.SecretError("secret_not_base64");
    }
    return raw;
}
