import { ConnectionError, MaloteError } from "./malote-error.js";

const firstPause = 250;
const longestPause = 30_000;

/**
 * How long to wait before the next try, in milliseconds; undefined when there is
 * to be none. Pauses double, with jitter, so that clients that failed together do
 * not come back together, and none ends before Retry-After.
 */
export function pauseAfter(tries: number, error: unknown, random = Math.random()): number | undefined {
  const asked = (error instanceof MaloteError && error.retryAfter ? error.retryAfter : 0) * 1000;
  const passing = error instanceof ConnectionError || (error instanceof MaloteError && error.temporary);
  if (!passing || asked > longestPause) {
    return undefined;
  }
  const half = Math.min(firstPause * 2 ** (tries - 1), longestPause) / 2;
  return Math.max(half, asked) + random * half;
}

/** Reads Retry-After, in seconds or as a date (RFC 9110 section 10.2.3). */
export function readRetryAfter(header: string | null, now: Date): number | undefined {
  if (header === null) {
    return undefined;
  }
  if (/^[0-9]+$/.test(header)) {
    return Number(header);
  }
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}

/** Waits, or rejects with the signal's reason once it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, milliseconds);
    if (signal?.aborted) {
      aborted();
    }
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
