// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { format, inspect } from "node:util";

import { SecretError, UsageError, generateSecret, parseForeignSecret, parseSecret, sign, verify } from "malote";

const specSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const specPrivate = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
const specSeed = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=";
const specPublic = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const time = new Date(1614265330_000);
const body = '{"test": 2432232314}';
const v1 = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const v1a = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";

/** @param {number} n */
const symmetric = (n) => `whsec_${Buffer.from(Uint8Array.from({ length: n }, (_, i) => 255 - i)).toString("base64")}`;

/** @param {string} reason @param {number} [bytes] @returns {(error: unknown) => boolean} */
const refused = (reason, bytes) => (error) => {
  assert.ok(error instanceof SecretError, String(error));
  assert.equal(error.reason, reason);
  assert.equal(error.bytes, bytes ?? 0);
  return true;
};

test("a secret is read as people paste it", () => {
  const padded = symmetric(32);
  const bare = padded.slice("whsec_".length);
  const urlSafe = padded.replace(/\+/g, "-").replace(/\//g, "_");
  for (const text of [
    padded,
    bare,
    padded.replace(/=+$/, ""),
    bare.replace(/=+$/, ""),
    urlSafe,
    urlSafe.replace(/=+$/, ""),
    `v1,${padded}`,
    `v1,${bare}`,
    `whsec_${padded}`,
    ` \t${padded}\r\n`,
    `v1, ${padded}`,
    `"${padded}"`,
    `'${padded}'\n`,
  ]) {
    assert.equal(parseSecret(text).reveal(), padded, text);
    assert.equal(parseSecret(text).kind, "symmetric");
  }
  for (const n of [24, 64]) {
    assert.equal(parseSecret(symmetric(n)).reveal(), symmetric(n));
  }
  assert.equal(parseSecret(`v1a,${specPrivate}`).kind, "ed25519_private");
  assert.equal(parseSecret(specPublic).kind, "ed25519_public");
});

/** @type {Record<string, [text: string, reason: string, bytes?: number]>} */
const refusals = {
  "nothing": ["", "secret_empty"],
  "white space": [" \n", "secret_empty"],
  "only a prefix": ["v1,whsec_", "secret_empty"],
  "only padding": ["whsec_====", "secret_too_short", 0],
  "another kind of key": ["sk_live_51H8abcdefghijklmnopqrstuvwxyz0123", "secret_unknown_prefix"],
  "mistyped prefix": ["wshec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "secret_unknown_prefix"],
  "UUID": ["550e8400-e29b-41d4-a716-446655440000", "secret_unknown_prefix"],
  "prefix within": [`whsec_${specPublic}`, "secret_unknown_prefix"],
  "redacted": ["whsec_[redacted]", "secret_not_base64"],
  "two secrets": [`${specSecret} ${specSecret}`, "secret_not_base64"],
  "wrapped line": ["whsec_MfKQ9r8GKYqrTwj\nUPD8ILPZIo2LaLaSw", "secret_not_base64"],
  "cut off": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA", "secret_not_base64"],
  "both alphabets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaL-+w", "secret_not_base64"],
  "a short password": ["whsec_aGVsbG8=", "secret_too_short", 5],
  "one byte short": [symmetric(23), "secret_too_short", 23],
  "one byte long": [symmetric(65), "secret_too_long", 65],
  "short public key": ["whpk_AAAA", "secret_bad_key_length", 3],
  "private as public key": [`whpk_${specPrivate.slice(5)}`, "secret_bad_key_length", 64],
  "cut-off private key": [specPrivate.slice(0, 40), "secret_bad_key_length", 26],
};

for (const [name, [text, reason, bytes]] of Object.entries(refusals)) {
  test(`a secret is refused: ${name}`, () => {
    assert.throws(() => parseSecret(text), refused(reason, bytes));
    assert.throws(
      () => parseSecret(text),
      (error) => text.length < 20 || (error instanceof Error && !error.message.includes(text.slice(6, 20))),
    );
  });
}

test("a private key whose halves do not belong together signs nothing", async () => {
  const raw = Buffer.from(specPrivate.slice(5), "base64");
  raw.writeUInt8(raw.readUInt8(63) ^ 1, 63);
  const mismatched = parseSecret(`whsk_${raw.toString("base64")}`);
  await assert.rejects(sign(id, time, body, mismatched), refused("secret_key_mismatch", 64));
});

test("a foreign secret only verifies", async () => {
  const short = "whsec_plJ3nmyCDGBKInavdOK15jsl";
  assert.throws(() => parseSecret(short), refused("secret_too_short", 18));
  assert.throws(() => parseForeignSecret(symmetric(15)), refused("secret_too_short", 15));
  for (const text of [short, specSecret]) {
    await assert.rejects(sign(id, time, body, parseForeignSecret(text)), usage("cannot_sign"));
  }
});

/** @param {string} reason @returns {(error: unknown) => boolean} */
const usage = (reason) => (error) => error instanceof UsageError && error.reason === reason;

test("sign makes the published signatures", async () => {
  assert.equal(await sign(id, time, body, specSecret), v1);
  assert.equal(await sign(id, time, Buffer.from(body), [parseSecret(specPrivate)]), v1a);
  assert.equal(await sign(id, time, body, [specSeed, specSecret]), `${v1a} ${v1}`);
  assert.match(await sign(id, time, body, [specSecret, symmetric(32)], { scheme: "hex" }), /^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

test("sign and verify refuse what cannot be meant", async () => {
  await assert.rejects(sign("a.b", time, body, specSecret), usage("bad_id"));
  await assert.rejects(sign("", time, body, specSecret), usage("bad_id"));
  await assert.rejects(sign(id, new Date(0), body, specSecret), usage("bad_timestamp"));
  await assert.rejects(sign(id, new Date(NaN), body, specSecret), usage("bad_timestamp"));
  await assert.rejects(sign(id, time, body, specPublic), usage("cannot_sign"));
  await assert.rejects(sign(id, time, body, specPrivate, { scheme: "hex" }), usage("not_symmetric"));
  for (const secrets of [[], undefined, [undefined]]) {
    await assert.rejects(verify(body, {}, /** @type {any} */ (secrets)), usage("no_secret"));
  }
  await assert.rejects(verify(body, {}, specPublic, { scheme: "hex" }), usage("not_symmetric"));
  await assert.rejects(verify(body, {}, specSecret, { scheme: /** @type {any} */ ("md5") }), usage("bad_option"));
  for (const tolerance of [-1, NaN]) {
    await assert.rejects(verify(body, {}, specSecret, { tolerance }), usage("bad_option"));
  }
});

test("whatever a secret signs, it and its public half verify, and nothing else", async () => {
  const secret = await generateSecret();
  const other = await generateSecret();
  assert.notEqual(secret.reveal(), other.reveal());
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": await sign(id, time, body, [secret, specSeed]),
    "webhook-attempt": "3",
    "webhook-trigger": "replay",
  };
  for (const secrets of [secret, specSeed, specPrivate, specPublic, [other, secret]]) {
    const message = await verify(body, headers, secrets, { now: time });
    assert.deepEqual([message.id, message.attempt, message.trigger], [id, 3, "replay"]);
    assert.deepEqual(message.timestamp, time);
    assert.equal(message.header("Webhook-Trigger"), "replay");
    assert.equal(message.text(), body);
    await assert.rejects(verify(`${body} `, headers, secrets, { now: () => time }));
  }
  await assert.rejects(verify(body, headers, other, { now: time }));
});

test("a secret never shows itself", () => {
  for (const text of [specSecret, specPrivate, specPublic]) {
    const secret = parseSecret(text);
    const encoded = text.slice(text.indexOf("_") + 1);
    const shown = [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true, depth: null }),
      format("%s %o %O %j", secret, secret, secret, secret),
      Object.entries(secret).join(),
    ].join("\n");
    assert.match(shown, /_\[redacted\]/);
    assert.ok(!shown.includes(encoded.slice(0, 12)));
    assert.ok(!shown.includes(Buffer.from(encoded, "base64").toString("hex").slice(0, 12)));
  }
});
