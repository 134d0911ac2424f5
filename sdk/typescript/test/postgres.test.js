// @ts-check
// examples/postgres-seen.js against a real PostgreSQL, where there is one and
// the development dependencies are installed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { fetchHandler, sign } from "malote";

import { PostgresSeen } from "../examples/postgres-seen.js";

const url = process.env["MALOTE_TEST_DATABASE_URL"];
const pg = await import("pg").then((module) => module.default).catch(() => undefined);
const skip = !url ? "no MALOTE_TEST_DATABASE_URL" : !pg && "pg is not installed: run npm ci";
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** @type {import("pg").Pool} */
let pool;
before(async () => {
  if (pg && !skip) {
    pool = new pg.Pool({ connectionString: url });
    await pool.query("drop table if exists webhook_seen, booking");
    await pool.query(`create table webhook_seen (sender text not null, id text not null, token uuid not null,
      claimed_at timestamptz not null default now(), handled_at timestamptz, primary key (sender, id))`);
    await pool.query("create table booking (id text primary key)");
  }
});
after(() => pool?.end());

/** @param {string} id */
async function request(id) {
  const at = new Date();
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": await sign(id, at, "{}", secret),
  };
  return new Request("http://receiver/", { method: "POST", headers, body: "{}" });
}

/**
 * A receiver that books in its own transaction.
 * @param {{ commit?: boolean, fail?: boolean }} [manner]
 */
function receiver({ commit = true, fail = false } = {}) {
  return fetchHandler(
    secret,
    async (message, claim) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await claim.keepIn(client);
        await client.query("insert into booking values ($1)", [message.id]);
        if (fail) {
          throw new Error("the work failed");
        }
        await client.query(commit ? "commit" : "rollback");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    { seen: new PostgresSeen(pool), observe: () => {} },
  );
}

test("the id and the work are kept together, or neither is", { skip }, async () => {
  for (const manner of [{ fail: true }, { commit: false }]) {
    assert.equal((await receiver(manner)(await request("evt_1"))).status, 500);
    assert.equal((await pool.query("select from booking")).rowCount, 0);
  }
  for (const duplicate of [false, true]) {
    const response = await receiver()(await request("evt_1"));
    assert.deepEqual(await response.json(), { id: "evt_1", duplicate });
  }
  assert.equal((await pool.query("select from booking where id = 'evt_1'")).rowCount, 1);
});

test("of many instances one handles a webhook", { skip }, async () => {
  const responses = await Promise.all(Array.from({ length: 8 }, async () => receiver()(await request("evt_2"))));
  assert.equal((await pool.query("select from booking where id = 'evt_2'")).rowCount, 1);
  assert.ok(responses.every(({ status }) => status === 200 || status === 503));
});

test("a claim that nobody settled is taken over, and its first holder keeps nothing", { skip }, async () => {
  const seen = new PostgresSeen(pool);
  const lost = await seen.claim("evt_3");
  assert.equal(await seen.claim("evt_3"), "being_handled");
  await pool.query("update webhook_seen set claimed_at = now() - interval '6 minutes' where id = 'evt_3'");
  const taken = await seen.claim("evt_3");
  assert.ok(typeof taken !== "string" && typeof lost !== "string");
  const client = await pool.connect();
  await assert.rejects(lost.keepIn(client), /roll back/);
  client.release();
  await lost.release();
  assert.equal(await seen.claim("evt_3"), "being_handled");
  await taken.keep();
  assert.equal(await seen.claim("evt_3"), "handled");
  await pool.query("update webhook_seen set handled_at = now() - interval '8 days' where id = 'evt_3'");
  await seen.forget();
  assert.notEqual(await seen.claim("evt_3"), "handled");
});
