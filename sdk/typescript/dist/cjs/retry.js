"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.pauseAfter = pauseAfter;
exports.readRetryAfter = readRetryAfter;
exports.sleep = sleep;
const malote_error_js_1 = require("./malote-error.js");
const firstPause = 250;
const longestPause = 30_000;
/**
 * How long to wait before the next try, in milliseconds; undefined when there is
 * to be none. Pauses double, with jitter, so that clients that failed together do
 * not come back together, and none ends before Retry-After.
 */
function pauseAfter(tries, error, random = Math.random()) {
    const asked = (error instanceof malote_error_js_1.MaloteError && error.retryAfter ? error.retryAfter : 0) * 1000;
    const passing = error instanceof malote_error_js_1.ConnectionError || (error instanceof malote_error_js_1.MaloteError && error.temporary);
    if (!passing || asked > longestPause) {
        return undefined;
    }
    const half = Math.min(firstPause * 2 ** (tries - 1), longestPause) / 2;
    return Math.max(half, asked) + random * half;
}
/** Reads Retry-After, in seconds or as a date (RFC 9110 section 10.2.3). */
function readRetryAfter(header, now) {
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
function sleep(milliseconds, signal) {
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
