/** Why a secret was refused. */
export type SecretReason =
  | "secret_empty"
  | "secret_unknown_prefix"
  | "secret_not_base64"
  | "secret_too_short"
  | "secret_too_long"
  | "secret_bad_key_length"
  | "secret_key_mismatch";

function sentence(reason: SecretReason, bytes: number, limit: number): string {
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
export class SecretError extends Error {
  override readonly name = "SecretError";

  constructor(
    readonly reason: SecretReason,
    /** How many bytes the text decoded to; 0 when it did not decode. */
    readonly bytes = 0,
    /** The limit that was missed, when it is too short or too long. */
    readonly limit = 0,
  ) {
    super(sentence(reason, bytes, limit));
  }
}
