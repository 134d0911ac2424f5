// @ts-check
// The requests that every SDK must judge alike: see ../../testdata/README.md.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { UsageError, VerifyError, parseForeignSecret, parseSecret, verify } from "malote";

/**
 * @typedef {object} Vector
 * @property {string} name
 * @property {import("malote").Scheme} [scheme]
 * @property {string[]} secrets
 * @property {boolean} [foreign]
 * @property {Record<string, string>} headers
 * @property {string} body_base64
 * @property {number} now
 * @property {number} [tolerance]
 * @property {boolean} ok
 * @property {number} [secret]
 * @property {string | null} reason
 * @property {string} [header]
 * @property {number} [skew_seconds]
 * @property {string} [diagnosis]
 */

/** @type {Vector[]} */
const vectors = JSON.parse(await readFile(new URL("../../testdata/standard-webhooks.json", import.meta.url), "utf8"));

/** @param {Vector} vector @param {import("malote").Payload} body @param {import("malote").HeaderSource} headers */
function verifyVector(vector, body, headers) {
  const secrets = vector.secrets.map((text) => (vector.foreign ? parseForeignSecret(text) : parseSecret(text)));
  const { scheme, tolerance } = vector;
  const now = new Date(vector.now * 1000);
  return verify(body, headers, secrets, { now, ...(scheme && { scheme }), ...(tolerance !== undefined && { tolerance }) });
}

/** @param {Vector} vector @returns {(error: unknown) => boolean} */
function refusal(vector) {
  return (error) => {
    assert.ok(error instanceof VerifyError, String(error));
    assert.equal(error.reason, vector.reason);
    assert.equal(error.header, vector.header);
    assert.ok(!vector.skew_seconds || error.skewSeconds === vector.skew_seconds);
    assert.ok(!vector.diagnosis || error.diagnosis === vector.diagnosis, `${error.diagnosis}`);
    return true;
  };
}

test("there are vectors", () => assert.ok(vectors.length > 90));

for (const vector of vectors) {
  test(`vector: ${vector.name}`, async () => {
    const body = Buffer.from(vector.body_base64, "base64");
    for (const headers of [vector.headers, Object.entries(vector.headers)]) {
      const verdict = verifyVector(vector, body, headers);
      if (!vector.ok) {
        await assert.rejects(verdict, refusal(vector));
        continue;
      }
      const message = await verdict;
      assert.equal(message.secret, vector.secret ?? 0);
      assert.equal(message.id, vector.headers["webhook-id"] ?? Object.values(vector.headers)[0]);
      assert.deepEqual(Buffer.from(message.body), body);
    }
  });
}

test("a payload may be bytes in any dress, or text", async () => {
  const vector = vectors.find(({ name }) => name === "sign function works");
  assert.ok(vector);
  const bytes = new Uint8Array(Buffer.from(vector.body_base64, "base64"));
  for (const payload of [bytes, bytes.buffer, Buffer.from(bytes), new TextDecoder().decode(bytes)]) {
    const message = await verifyVector(vector, payload, new Headers(vector.headers));
    assert.deepEqual(message.json(), { test: 2432232314 });
  }
  for (const parsed of [{ test: 2432232314 }, undefined, null, [1]]) {
    await assert.rejects(verifyVector(vector, /** @type {any} */ (parsed), vector.headers), (error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(error.reason, "parsed_body");
      assert.match(error.message, /express\.raw/);
      return true;
    });
  }
});

test("a header twice is refused, but for signatures, which are one list", async () => {
  const vector = vectors.find(({ name }) => name === "sign function works");
  assert.ok(vector);
  const pairs = Object.entries(vector.headers);
  const body = Buffer.from(vector.body_base64, "base64");
  for (const twice of [[...pairs, ["webhook-signature", "v1,AAAA"]], [["webhook-signature", "v1,AAAA"], ...pairs]]) {
    const headers = /** @type {[string, string][]} */ (twice);
    await verifyVector(vector, body, headers);
    await verifyVector(vector, body, new Headers(headers)); // which joins them with ", "
  }
  for (const name of ["webhook-id", "webhook-timestamp"]) {
    const headers = /** @type {[string, string][]} */ ([...pairs, [name, vector.headers[name]]]);
    for (const source of [headers, new Headers(headers)]) {
      await assert.rejects(verifyVector(vector, body, source), refusal({ ...vector, reason: "malformed", header: name }));
    }
  }
});
