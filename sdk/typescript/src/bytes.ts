import { UsageError } from "./usage-error.js";

/** A body exactly as it arrived. A string stands for its UTF-8 bytes. */
export type Payload = Uint8Array | ArrayBuffer | string;

/**
 * Bytes that Web Crypto takes, which wants to know that they are not shared:
 * Uint8Array<ArrayBuffer>, in words that TypeScript before 5.7 understands too.
 */
export type Bytes = ReturnType<TextEncoder["encode"]>;

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function toBytes(payload: Payload): Uint8Array {
  if (typeof payload === "string") {
    return utf8(payload);
  }
  if (ArrayBuffer.isView(payload)) {
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  }
  if (Object.prototype.toString.call(payload) === "[object ArrayBuffer]") {
    return new Uint8Array(payload);
  }
  throw new UsageError("parsed_body");
}

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Compares in a time that depends on the lengths alone. */
export function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) {
    return false;
  }
  let difference = 0;
  for (let i = 0; i < a.length; i++) {
    difference |= a[i]! ^ b[i]!;
  }
  return difference === 0;
}

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}

/** Reads standard base64 with or without padding; undefined when it is not that. */
export function fromBase64(text: string): Bytes | undefined {
  const bare = text.replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(bare) || bare.length % 4 === 1) {
    return undefined;
  }
  return Uint8Array.from(atob(bare), (character) => character.charCodeAt(0));
}

/** Like fromBase64, of the URL-safe alphabet. */
export function fromBase64Url(text: string): Bytes | undefined {
  return /[+/]/.test(text) ? undefined : fromBase64(text.replace(/-/g, "+").replace(/_/g, "/"));
}

/** Reads what toBase64 writes, and nothing that merely means the same. */
export function fromStrictBase64(text: string): Bytes | undefined {
  const bytes = fromBase64(text);
  return bytes && toBase64(bytes) === text ? bytes : undefined;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fromHex(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    return undefined;
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
}
