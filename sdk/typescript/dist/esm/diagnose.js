import { concat, fromBase64, fromBase64Url, fromHex, toBase64, utf8 } from "./bytes.js";
import { Key } from "./key.js";
import { firstMatch } from "./match.js";
import { originals } from "./reencode.js";
import { VerifyError } from "./verify-error.js";
/** Bounds what a forged request can cost: finding the cause hashes a body about twenty times. */
const maxDiagnosedBody = 16 << 10;
const maxDiagnosedSignatures = 3;
/**
 * Finds out why nothing matched, by trying what senders and the machinery in
 * front of receivers are known to get wrong. What it tells is no help to a
 * forger: every answer but the first and the last needs a signature that the
 * secret made.
 */
export async function diagnose(keys, { head, list }, body) {
    if (!keys.some((key) => list.some(({ version }) => version === key.version))) {
        return new VerifyError("bad_signature", { diagnosis: "unusable_version" });
    }
    if (body.length > maxDiagnosedBody) {
        return new VerifyError("bad_signature");
    }
    const few = list.slice(0, maxDiagnosedSignatures);
    const message = concat(head, body);
    if ((await firstMatch(keys, message, otherEncodings(few))) >= 0) {
        return new VerifyError("bad_signature", { diagnosis: "signature_encoding" });
    }
    if ((await firstMatch(keys.flatMap(undecoded), message, few)) >= 0) {
        return new VerifyError("bad_signature", { diagnosis: "secret_not_decoded" });
    }
    for (const [detail, original] of originals(body)) {
        if ((await firstMatch(keys, concat(head, original), few)) >= 0) {
            return new VerifyError("bad_signature", { diagnosis: "body_reencoded", detail });
        }
    }
    return new VerifyError("bad_signature", { diagnosis: "wrong_secret" });
}
/** Reads each signature in every way that is not the scheme's. */
function otherEncodings(list) {
    return list.flatMap(({ version, text }) => [fromHex, fromBase64, fromBase64Url].flatMap((decode) => {
        const sum = decode(text.replace(/=+$/, ""));
        return sum ? [{ version, text, sum }] : [];
    }));
}
/** The secret's text, with and without its prefix, as keys. */
function undecoded(key) {
    if (key.kind !== "symmetric") {
        return [];
    }
    const text = toBase64(key.raw);
    return [`whsec_${text}`, text].map((raw) => new Key("symmetric", utf8(raw)));
}
