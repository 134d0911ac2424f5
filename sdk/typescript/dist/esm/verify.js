import { concat, toBytes } from "./bytes.js";
import { diagnose } from "./diagnose.js";
import { openEnvelope } from "./envelope.js";
import { HeaderValues } from "./headers.js";
import { firstMatch } from "./match.js";
import { Message } from "./message.js";
import { checkScheme } from "./scheme.js";
import { keysOf } from "./secret-parse.js";
import { UsageError } from "./usage-error.js";
/** How far a timestamp may be from now, in seconds and in either direction. */
export const defaultTolerance = 300;
/**
 * Says whether a webhook is genuine and in time, and returns what it says. The
 * payload must be the bytes exactly as they arrived: nothing is parsed before the
 * signature holds. Every refusal is a VerifyError; a SecretError or UsageError is
 * the receiver's own mistake.
 *
 * It remembers nothing: a repetition within the tolerance is verified again, and
 * it is for the caller to recognise its id. nodeHandler and fetchHandler do.
 */
export async function verify(payload, headers, secrets, options = {}) {
    const verifier = new Verifier(secrets, options);
    const body = toBytes(payload);
    const values = new HeaderValues(headers);
    return verifier.check(verifier.open(values), values, body);
}
/** verify, for many webhooks and in two steps. */
export class Verifier {
    #keys;
    #scheme;
    #tolerance;
    #now;
    constructor(secrets, { scheme = "standard", tolerance = defaultTolerance, now } = {}) {
        this.#keys = keysOf(secrets);
        this.#scheme = checkScheme(scheme);
        this.#tolerance = Math.trunc(tolerance);
        this.#now = typeof now === "function" ? now : () => now ?? new Date();
        if (!(tolerance >= 0)) {
            throw new UsageError("bad_option", `the tolerance ${tolerance} is not a number of seconds from 0 on`);
        }
        if (scheme === "hex" && this.#keys.some((key) => key.kind !== "symmetric")) {
            throw new UsageError("not_symmetric");
        }
    }
    /** Checks the headers alone, before the body is read. */
    open(headers) {
        return openEnvelope(this.#scheme, headers, { tolerance: this.#tolerance, now: this.#now() });
    }
    async check(envelope, headers, body) {
        const message = concat(envelope.head, body);
        const secret = await firstMatch(this.#keys, message, envelope.list);
        if (secret < 0) {
            throw await diagnose(this.#keys, envelope, body);
        }
        return new Message(envelope.id, envelope.seconds, secret, body, headers);
    }
}
