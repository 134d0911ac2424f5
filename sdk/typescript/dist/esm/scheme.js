import { fromHex, fromStrictBase64, toBase64, toHex, utf8 } from "./bytes.js";
import { UsageError } from "./usage-error.js";
/** Bounds the work that one request can ask for. Rotations need two or three. */
export const maxSignatures = 16;
const rules = {
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
export function checkScheme(scheme) {
    if (!Object.hasOwn(rules, scheme)) {
        throw new UsageError("bad_option", `unknown scheme ${JSON.stringify(scheme)}: use "standard" or "hex"`);
    }
    return scheme;
}
/**
 * What is signed before the body. The timestamp is the header's text, so that
 * what is verified is exactly what was sent.
 */
export function signedHead(scheme, id, timestamp) {
    return utf8(scheme === "standard" ? `${id}.${timestamp}.` : `${timestamp}.`);
}
/**
 * Reads the values of the signature header as one list; undefined when there are
 * too many. An unknown version must not hide a known one beside it.
 */
export function readSignatures(scheme, values) {
    const { pair, separators, decode } = rules[scheme];
    const list = [];
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
export function writeSignatures(scheme, signatures) {
    const { pair, join, encode } = rules[scheme];
    return signatures.map(({ version, sum }) => version + pair + encode(sum)).join(join);
}
