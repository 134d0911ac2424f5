import { type Payload, concat, toBytes } from "./bytes.js";
import { diagnose } from "./diagnose.js";
import { type Envelope, openEnvelope } from "./envelope.js";
import { type HeaderSource, HeaderValues } from "./headers.js";
import type { Key } from "./key.js";
import { firstMatch } from "./match.js";
import { Message } from "./message.js";
import { type Scheme, checkScheme } from "./scheme.js";
import { type Secrets, keysOf } from "./secret-parse.js";
import { UsageError } from "./usage-error.js";

/** How far a timestamp may be from now, in seconds and in either direction. */
export const defaultTolerance = 300;

export interface VerifyOptions {
  /** "standard" when left out. */
  scheme?: Scheme;
  /**
   * In whole seconds; 300 when left out. A long tolerance gives whoever captured
   * a request as long to send it again.
   */
  tolerance?: number;
  /** The clock; the system's when left out. */
  now?: Date | (() => Date);
}

/**
 * Says whether a webhook is genuine and in time, and returns what it says. The
 * payload must be the bytes exactly as they arrived: nothing is parsed before the
 * signature holds. Every refusal is a VerifyError; a SecretError or UsageError is
 * the receiver's own mistake.
 *
 * It remembers nothing: a repetition within the tolerance is verified again, and
 * it is for the caller to recognise its id. nodeHandler and fetchHandler do.
 */
export async function verify(
  payload: Payload,
  headers: HeaderSource,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<Message> {
  const verifier = new Verifier(secrets, options);
  const body = toBytes(payload);
  const values = new HeaderValues(headers);
  return verifier.check(verifier.open(values), values, body);
}

/** verify, for many webhooks and in two steps. */
export class Verifier {
  readonly #keys: Key[];
  readonly #scheme: Scheme;
  readonly #tolerance: number;
  readonly #now: () => Date;

  constructor(secrets: Secrets, { scheme = "standard", tolerance = defaultTolerance, now }: VerifyOptions = {}) {
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
  open(headers: HeaderValues): Envelope {
    return openEnvelope(this.#scheme, headers, { tolerance: this.#tolerance, now: this.#now() });
  }

  async check(envelope: Envelope, headers: HeaderValues, body: Uint8Array): Promise<Message> {
    const message = concat(envelope.head, body);
    const secret = await firstMatch(this.#keys, message, envelope.list);
    if (secret < 0) {
      throw await diagnose(this.#keys, envelope, body);
    }
    return new Message(envelope.id, envelope.seconds, secret, body, headers);
  }
}
