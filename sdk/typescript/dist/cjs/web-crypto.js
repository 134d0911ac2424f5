"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.webCrypto = webCrypto;
let found;
/** Web Crypto, which Node 18 does not yet have as a global. */
async function webCrypto() {
    if (!found) {
        // The name is no literal, so that bundlers for other runtimes leave it alone.
        const nodeCrypto = "node:crypto";
        found = globalThis.crypto ?? (await Promise.resolve(`${nodeCrypto}`).then(s => require(s))).webcrypto;
    }
    return found;
}
