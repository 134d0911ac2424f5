/** Which rule a webhook broke, in the order of the checks. */
export type Reason = "missing_header" | "malformed" | "stale" | "future" | "bad_signature";

/**
 * Why no signature matched, as far as can be found out by trying what the sender
 * may have done instead:
 *
 * - `unusable_version`: none is of a version that the secrets can check;
 * - `signature_encoding`: right, but written otherwise, hex for base64 for example;
 * - `secret_not_decoded`: the sender used the secret's text as the key;
 * - `body_reencoded`: something on the way parsed the body and wrote it anew;
 * - `wrong_secret`: none of these, so another secret signed, or the content changed.
 */
export type Diagnosis =
  | "unusable_version"
  | "signature_encoding"
  | "secret_not_decoded"
  | "body_reencoded"
  | "wrong_secret";

export interface VerifyErrorDetails {
  /** The header at fault, of missing_header and malformed. */
  header?: string;
  /** Now minus the timestamp in seconds, of stale (positive) and future (negative). */
  skewSeconds?: number;
  /** What was allowed, in seconds, of stale and future. */
  tolerance?: number;
  /** Of bad_signature; absent when the body is larger than 16 KiB. */
  diagnosis?: Diagnosis;
  /** Of malformed and body_reencoded: what exactly. */
  detail?: string;
}

const causes: Record<Exclude<Diagnosis, "body_reencoded">, string> = {
  unusable_version:
    "none is of a version that this receiver's secrets can check (v1 for whsec_, v1a for whpk_)",
  signature_encoding: "it is right but in the wrong encoding; the scheme's own is required",
  secret_not_decoded:
    "the sender used the secret's text as the key; the key is what follows whsec_ after base64 decoding",
  wrong_secret: "another secret signed, or the body was changed after signing",
};

function cause({ diagnosis, detail }: VerifyErrorDetails): string {
  if (diagnosis === undefined) {
    return "the body is too large to look for the cause";
  }
  if (diagnosis === "body_reencoded") {
    return `the body was re-encoded after signing (${detail}); verify the bytes exactly as they arrived`;
  }
  return causes[diagnosis];
}

function sentence(reason: Reason, details: VerifyErrorDetails): string {
  const { header, skewSeconds = 0, tolerance, detail } = details;
  switch (reason) {
    case "missing_header":
      return `the header ${header} is missing: send webhook-id, webhook-timestamp and webhook-signature`;
    case "malformed":
      return `the header ${header} cannot be read: ${detail}`;
    case "stale":
      return (
        `the timestamp is ${skewSeconds} s old and may be ${tolerance} s: ` +
        "sign every attempt with its own time, and compare the clocks"
      );
    case "future":
      return `the timestamp is ${-skewSeconds} s ahead and may be ${tolerance} s: compare the clocks of sender and receiver`;
    case "bad_signature":
      return `no signature matches: ${cause(details)}`;
  }
}

/**
 * A webhook that is not genuine or not in time. The message says what to do,
 * holds neither body nor secret, and may be shown to the sender.
 */
export class VerifyError extends Error {
  override readonly name = "VerifyError";
  readonly header?: string;
  readonly skewSeconds?: number;
  readonly tolerance?: number;
  readonly diagnosis?: Diagnosis;
  readonly detail?: string;

  constructor(
    readonly reason: Reason,
    details: VerifyErrorDetails = {},
  ) {
    super(sentence(reason, details));
    Object.assign(this, details);
  }
}
