import { concat, toBytes } from "./bytes.js";
import { maxTimestamp, validId } from "./envelope.js";
import { checkScheme, signedHead, writeSignatures } from "./scheme.js";
import { keysOf } from "./secret-parse.js";
import { UsageError } from "./usage-error.js";
/**
 * Returns the value of the webhook-signature header, with a signature of every
 * secret in the order given. `timestamp` is the time of this attempt; its whole
 * seconds must be what the header webhook-timestamp says.
 *
 * Malote signs what it sends; this is for tests, and for senders of your own.
 */
export async function sign(id, timestamp, payload, secrets, options = {}) {
    const scheme = checkScheme(options.scheme ?? "standard");
    const seconds = Math.floor(timestamp.getTime() / 1000);
    if (!validId(id)) {
        throw new UsageError("bad_id");
    }
    if (!(seconds > 0 && seconds < maxTimestamp)) {
        throw new UsageError("bad_timestamp");
    }
    const keys = keysOf(secrets);
    if (scheme === "hex" && keys.some((key) => key.kind !== "symmetric")) {
        throw new UsageError("not_symmetric");
    }
    if (keys.some((key) => !key.canSign)) {
        throw new UsageError("cannot_sign");
    }
    const message = concat(signedHead(scheme, id, String(seconds)), toBytes(payload));
    const signatures = keys.map(async (key) => ({
        version: key.version,
        sum: key.kind === "symmetric" ? await key.digest(message) : await key.sign(message),
    }));
    return writeSignatures(scheme, await Promise.all(signatures));
}
