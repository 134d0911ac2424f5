// @ts-check
import { createHash } from "node:crypto";

/** The HTTP API's description, without the version of the program that serves it. */
/** @param {string} url @returns {Promise<any>} */
export async function documentOf(url) {
  const response = await fetch(`${url}/openapi.json`);
  const document = await response.json();
  delete document.info.version;
  return document;
}

/** What the generated types say that they were made from. */
/** @param {unknown} document */
export function digestOf(document) {
  return createHash("sha256").update(JSON.stringify(document)).digest("hex");
}
