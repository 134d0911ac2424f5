"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.maxSignatures = void 0;
exports.checkScheme = checkScheme;
exports.signedHead = signedHead;
exports.readSignatures = readSignatures;
exports.writeSignatures = writeSignatures;
const bytes_js_1 = require("./bytes.js");
const usage_error_js_1 = require("./usage-error.js");
/** Bounds the work that one request can ask for. Rotations need two or three. */
exports.maxSignatures = 16;
const rules = {
    standard: {
        pair: ",",
        separators: /[ \t]+/,
        join: " ",
        encode: bytes_js_1.toBase64,
        // A comma at the end is from where HTTP joined two header lines.
        decode: (text) => (0, bytes_js_1.fromStrictBase64)(text.replace(/,$/, "")),
    },
    hex: { pair: "=", separators: /[ \t,]+/, join: ",", encode: bytes_js_1.toHex, decode: bytes_js_1.fromHex },
};
function checkScheme(scheme) {
    if (!Object.hasOwn(rules, scheme)) {
        throw new usage_error_js_1.UsageError("bad_option", `unknown scheme ${JSON.stringify(scheme)}: use "standard" or "hex"`);
    }
    return scheme;
}
/**
 * What is signed before the body. The timestamp is the header's text, so that
 * what is verified is exactly what was sent.
 */
function signedHead(scheme, id, timestamp) {
    return (0, bytes_js_1.utf8)(scheme === "standard" ? `${id}.${timestamp}.` : `${timestamp}.`);
}
/**
 * Reads the values of the signature header as one list; undefined when there are
 * too many. An unknown version must not hide a known one beside it.
 */
function readSignatures(scheme, values) {
    const { pair, separators, decode } = rules[scheme];
    const list = [];
    for (const element of values.flatMap((value) => value.split(separators))) {
        if (element === "") {
            continue;
        }
        if (list.length === exports.maxSignatures) {
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
function writeSignatures(scheme, signatures) {
    const { pair, join, encode } = rules[scheme];
    return signatures.map(({ version, sum }) => version + pair + encode(sum)).join(join);
}
