let found: Crypto | undefined;

/** Web Crypto, which Node 18 does not yet have as a global. */
export async function webCrypto(): Promise<Crypto> {
  if (!found) {
    // The name is no literal, so that bundlers for other runtimes leave it alone.
    const nodeCrypto: string = "node:crypto";
    found = globalThis.crypto ?? ((await import(nodeCrypto)) as { webcrypto: Crypto }).webcrypto;
  }
  return found;
}
