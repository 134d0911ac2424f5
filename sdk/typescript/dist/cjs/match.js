"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.firstMatch = firstMatch;
const bytes_js_1 = require("./bytes.js");
/** The place of the first key that made any signature of the list; -1 when none did. */
async function firstMatch(keys, message, list) {
    for (const [place, key] of keys.entries()) {
        if (await matches(key, message, list)) {
            return place;
        }
    }
    return -1;
}
async function matches(key, message, list) {
    const sums = list.flatMap(({ version, sum }) => (version === key.version && sum ? [sum] : []));
    if (sums.length === 0) {
        return false;
    }
    if (key.kind === "symmetric") {
        const digest = await key.digest(message);
        return sums.some((sum) => (0, bytes_js_1.equal)(digest, sum));
    }
    for (const sum of sums) {
        if (await key.verify(message, sum)) {
            return true;
        }
    }
    return false;
}
