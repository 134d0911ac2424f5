let found;
/** Web Crypto, which Node 18 does not yet have as a global. */
export async function webCrypto() {
    if (!found) {
        // The name is no literal, so that bundlers for other runtimes leave it alone.
        const nodeCrypto = "node:crypto";
        found = globalThis.crypto ?? (await import(nodeCrypto)).webcrypto;
    }
    return found;
}
