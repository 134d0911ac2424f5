import { type Bytes, fromBase64, fromBase64Url } from "./bytes.js";
import { Key, type SecretKind } from "./key.js";
import { SecretError } from "./secret-error.js";
import { Secret, keyOf, prefixes } from "./secret.js";
import { UsageError } from "./usage-error.js";

/** The lengths a symmetric secret may have, in bytes after decoding. */
const minSecretBytes = 24;
const maxSecretBytes = 64;
const minForeignSecretBytes = 16;

/** One secret or, during a rotation, several: as texts, or as what parseSecret returned. */
export type Secrets = string | Secret | readonly (string | Secret)[];

/**
 * Reads a secret as people paste it: `whsec_` and base64, and also without the
 * prefix, without padding, in quotes, with white space around it, with a doubled
 * prefix, or with the `v1,` of the signature header in front. ed25519 keys are
 * `whsk_` (seed, or seed and public half) and `whpk_`.
 *
 * Throws SecretError; that the halves of a `whsk_` key do not belong together
 * turns out when it is first used.
 */
export function parseSecret(text: string): Secret {
  return new Secret(parse(text, minSecretBytes, false));
}

/**
 * Like parseSecret, for a secret that another party's sender issued and its
 * receiver cannot choose: from 16 bytes on. The result only verifies.
 */
export function parseForeignSecret(text: string): Secret {
  return new Secret(parse(text, minForeignSecretBytes, true));
}

/** The keys of all secrets; throws UsageError when there is none. */
export function keysOf(secrets: Secrets): Key[] {
  const list = typeof secrets === "string" || secrets instanceof Secret ? [secrets] : secrets;
  // An environment variable that is not set comes as undefined, whatever the types say.
  if (!list || list.length === 0) {
    throw new UsageError("no_secret");
  }
  return list.map((secret) => keyOf(typeof secret === "string" ? parseSecret(secret) : secret));
}

function parse(text: string, minimum: number, foreign: boolean): Key {
  const [kind, encoded] = split(text);
  const raw = decode(encoded);
  if (kind === "symmetric") {
    if (raw.length < minimum) {
      throw new SecretError("secret_too_short", raw.length, minimum);
    }
    if (raw.length > maxSecretBytes) {
      throw new SecretError("secret_too_long", raw.length, maxSecretBytes);
    }
    return new Key(kind, raw, foreign);
  }
  if (raw.length !== 32 && !(kind === "ed25519_private" && raw.length === 64)) {
    throw new SecretError("secret_bad_key_length", raw.length);
  }
  return new Key(kind, raw);
}

/** Takes off what surrounds the base64 of a pasted secret. */
function split(pasted: string): [SecretKind, string] {
  let text = unquote(pasted.trim());
  for (const version of ["v1,", "v1a,"]) {
    text = (text.startsWith(version) ? text.slice(version.length) : text).trim();
  }
  if (text === "") {
    throw new SecretError("secret_empty");
  }
  for (const [kind, prefix] of Object.entries(prefixes) as [SecretKind, string][]) {
    if (!text.startsWith(prefix)) {
      continue;
    }
    // A form that adds the prefix to a secret that has it makes two.
    while (text.startsWith(prefix)) {
      text = text.slice(prefix.length);
    }
    if (text === "") {
      throw new SecretError("secret_empty");
    }
    // A prefix in the wrong place is URL-safe base64 itself, and would give a wrong key.
    if (Object.values(prefixes).some((other) => text.startsWith(other))) {
      throw new SecretError("secret_unknown_prefix");
    }
    return [kind, text];
  }
  // These are URL-safe base64, but without a known prefix they are more likely
  // those of another kind of key or of a UUID.
  if (/[_-]/.test(text)) {
    throw new SecretError("secret_unknown_prefix");
  }
  return ["symmetric", text];
}

function unquote(text: string): string {
  const quoted = /^(["'`])([^]*)\1$/.exec(text);
  return quoted ? quoted[2]!.trim() : text;
}

function decode(encoded: string): Bytes {
  const raw = /[-_]/.test(encoded) ? fromBase64Url(encoded) : fromBase64(encoded);
  if (!raw) {
    throw new SecretError("secret_not_base64");
  }
  return raw;
}
