import { type Bytes, fromHex, fromStrictBase64, toBase64, toHex, utf8 } from "./bytes.js";
import { UsageError } from "./usage-error.js";

/**
 * How the signature header is written and what it covers: "standard" is
 * Standard Webhooks 1.0, `v1,<base64>` separated by spaces over
 * `id.timestamp.body`; "hex" is Malote's fair-queue contract, `v1=<hex>`
 * separated by commas over `timestamp.body`, which does not sign the id.
 */
export type Scheme = "standard" | "hex";

/** One element of the signature header. */
export interface Signature {
  version: string;
  /** As sent. */
  text: string;
  /** Decoded; undefined when the text is not canonical in the scheme. */
  sum: Bytes | undefined;
}

/** Bounds the work that one request can ask for. Rotations need two or three. */
export const maxSignatures = 16;

interface Rules {
  pair: string;
  separators: RegExp;
  join: string;
  encode(sum: Uint8Array): string;
  decode(text: string): Bytes | undefined;
}

const rules: Record<Scheme, Rules> = {
  standard: {
    pair: ",",
    separators: /[ \t]+/,
    join: " ",
    encode: toBase64,
    // A comma at the end is from where HTTP joined two header lines.
    decode: (text) => fromStrictBase64(text.replace(/,$/, "")),
  },
  hex: { pair: "=", separators: /[ \t,]+/, join: ",", encode: toHex, decode: fromHex },
};

export function checkScheme(scheme: Scheme): Scheme {
  if (!Object.hasOwn(rules, scheme)) {
    throw new UsageError("bad_option", `unknown scheme ${JSON.stringify(scheme)}: use "standard" or "hex"`);
  }
  return scheme;
}

/**
 * What is signed before the body. The timestamp is the header's text, so that
 * what is verified is exactly what was sent.
 */
export function signedHead(scheme: Scheme, id: string, timestamp: string): Bytes {
  return utf8(scheme === "standard" ? `${id}.${timestamp}.` : `${timestamp}.`);
}

/**
 * Reads the values of the signature header as one list; undefined when there are
 * too many. An unknown version must not hide a known one beside it.
 */
export function readSignatures(scheme: Scheme, values: readonly string[]): Signature[] | undefined {
  const { pair, separators, decode } = rules[scheme];
  const list: Signature[] = [];
  for (const element of values.flatMap((value) => value.split(separators))) {
    if (element === "") {
      continue;
    }
    if (list.length === maxSignatures) {
      return undefined;
    }
    const at = element.indexOf(pair);
    if (at >= 0) {
      const text = element.slice(at + pair.length);
      const sum = decode(text);
      list.push({ version: element.slice(0, at), text, sum: sum && sum.length > 0 ? sum : undefined });
    }
  }
  return list;
}

export function writeSignatures(scheme: Scheme, signatures: { version: string; sum: Uint8Array }[]): string {
  const { pair, join, encode } = rules[scheme];
  return signatures.map(({ version, sum }) => version + pair + encode(sum)).join(join);
}
