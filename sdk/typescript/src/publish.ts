import { toBase64, toBytes } from "./bytes.js";
import type { components } from "./openapi.js";
import { webCrypto } from "./web-crypto.js";

/** An event to be published: either `data` or `body` is given. */
export interface NewEvent extends Omit<components["schemas"]["NewEvent"], "data" | "body_base64" | "occurred_at"> {
  /**
   * A string or bytes are JSON text of your own, kept byte for byte: key order,
   * white space, numbers of any length. Anything else is encoded by
   * JSON.stringify, once. A JSON string is therefore given as `JSON.stringify(text)`.
   */
  data?: unknown;
  /** Instead of data: the whole body to be delivered, whatever its bytes are. */
  body?: Uint8Array | ArrayBuffer;
  occurred_at?: Date | string;
}

/** The event as JSON, with an idempotency key, so that a repeat after a lost answer adds nothing. */
export async function encodeEvent({ data, body, ...event }: NewEvent): Promise<string> {
  const idempotency_key = event.idempotency_key ?? (await webCrypto()).randomUUID();
  const rest = JSON.stringify({ ...event, idempotency_key, ...(body && { body_base64: toBase64(toBytes(body)) }) });
  return data === undefined ? rest : `${rest.slice(0, -1)},"data":${dataText(data)}}`;
}

function dataText(data: unknown): string {
  if (typeof data !== "string" && !(data instanceof Uint8Array)) {
    const text = JSON.stringify(data) as string | undefined;
    if (text === undefined) {
      throw new TypeError(`data is a ${typeof data}, which JSON has not`);
    }
    return text;
  }
  const text = typeof data === "string" ? data : utf8Text(data);
  // Half a character would become another one on its way.
  if (/\p{Surrogate}/u.test(text)) {
    throw new TypeError("data has half of a surrogate pair in it: write it as an escape");
  }
  // Whatever else than one JSON value would be members of the event.
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new TypeError("data, given as text, must be JSON: pass a value, or JSON.stringify it", { cause });
  }
  return text;
}

function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TypeError("data, given as bytes, must be JSON in UTF-8: give other bytes as body", { cause });
  }
}
