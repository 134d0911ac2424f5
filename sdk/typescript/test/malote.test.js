// @ts-check
// The whole SDK against a running Malote: what it publishes is delivered to its
// own receivers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";

import { Malote, MaloteError, fetchHandler, generateSecret, nodeHandler } from "malote";

import { digestOf, documentOf } from "./document.js";
import { eventually, startMalote } from "./server.js";

/** @type {Awaited<ReturnType<typeof startMalote>>} */
let server;
/** @type {Malote} */
let malote;
/** @type {import("node:http").Server[]} */
const receivers = [];

before(async () => {
  server = await startMalote();
  malote = new Malote({ url: server.url, key: server.key });
  await malote.tenants.create({ id: "acme", name: "Acme Ltd" });
});
after(async () => {
  receivers.forEach((receiver) => void (receiver.close(), receiver.closeAllConnections()));
  await server?.stop();
});

test("the generated types are those of the server's OpenAPI document", async () => {
  const types = await readFile(new URL("../src/openapi.ts", import.meta.url), "utf8");
  const [, digest] = /sha256 ([0-9a-f]{64})/.exec(types) ?? [];
  const served = digestOf(await documentOf(server.url));
  assert.equal(digest, served, "src/openapi.ts is out of date: run make sdk-typescript and commit what it changes");
});

/** Puts a Fetch handler behind node:http, as frameworks do. */
/** @param {(request: Request) => Promise<Response>} handler @returns {import("node:http").RequestListener} */
function adapt(handler) {
  return async (request, response) => {
    const { method = "", headers } = request;
    const init = { method, headers: /** @type {any} */ (headers), body: Readable.toWeb(request), duplex: "half" };
    const reply = await handler(new Request("http://receiver/", /** @type {any} */ (init)));
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  };
}

/** @type {Record<string, (...handler: Parameters<typeof fetchHandler>) => import("node:http").RequestListener>} */
const kinds = { nodeHandler, fetchHandler: (...handler) => adapt(fetchHandler(...handler)) };

/** An endpoint whose webhooks the SDK receives, and what it saw. */
/** @param {string} kind @param {import("malote").Secret[]} secrets */
async function receive(kind, ...secrets) {
  /** @type {import("malote").Message[]} */
  const handled = [];
  /** @type {import("malote").Observation[]} */
  const observed = [];
  const handler = kinds[kind]?.(secrets, (message) => handled.push(message), { observe: (o) => observed.push(o) });
  const receiver = createServer(handler).listen(0, "127.0.0.1");
  receivers.push(receiver);
  await once(receiver, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (receiver.address());
  return { url: `http://127.0.0.1:${port}/hooks`, handled, observed };
}

/** @param {string} event */
async function delivered(event) {
  return eventually(`${event} to be delivered`, async () => {
    for await (const delivery of malote.deliveries.list({ event, state: "delivered" })) {
      return malote.deliveries.get(delivery.id);
    }
  });
}

for (const kind of Object.keys(kinds)) {
  test(`${kind} receives what the client publishes, once`, async () => {
    const secret = await generateSecret();
    const { url, handled, observed } = await receive(kind, secret);
    const endpoint = await malote.endpoints.create({ tenant: "acme", url, secret: secret.reveal(), event_types: [`${kind}.*`] });
    const data = '{ "total": 12345678901234567890.50,  "note": "\\u00e9😀" }';
    const event = { tenant: "acme", type: `${kind}.paid`, data, idempotency_key: `${kind}-1` };
    const published = await malote.publish(event);
    assert.deepEqual(published, { id: published.id, duplicate: false, deliveries: 1, skipped: 0 });
    assert.deepEqual(await malote.publish(event), { ...published, duplicate: true, deliveries: 0 });

    const delivery = await delivered(published.id);
    assert.equal(delivery.endpoint_id, endpoint.id);
    assert.deepEqual(delivery.attempts?.map(({ response_status, trigger }) => [response_status, trigger]), [[200, "schedule"]]);
    assert.deepEqual(handled.map(({ id, attempt, trigger }) => [id, attempt, trigger]), [[published.id, 1, "schedule"]]);
    const [message] = handled;
    assert.ok(message?.text().includes(data), message?.text());
    assert.equal(/** @type {any} */ (message?.json()).type, event.type);
    assert.deepEqual(await malote.events.body(published.id), new Uint8Array(message?.body ?? []));

    await malote.deliveries.replay(delivery.id);
    await eventually("the replay to arrive", async () => observed.length > 1);
    assert.deepEqual(observed.map(({ outcome, message }) => [outcome, message?.id, message?.trigger]), [
      ["handled", published.id, "schedule"],
      ["duplicate", published.id, "replay"],
    ]);
    assert.equal(handled.length, 1);
  });
}

test("a receiver with the old secret goes on through a rotation", async () => {
  const secret = await generateSecret();
  const { url, observed } = await receive("nodeHandler", secret);
  const { id } = await malote.endpoints.create({ tenant: "acme", url, secret: secret.reveal(), event_types: ["rotated"] });
  const rotated = await malote.endpoints.rotateSecret(id, { overlap: "1h" });
  assert.match(rotated.value ?? "", /^whsec_/);
  assert.equal((await malote.endpoints.secrets(id)).length, 2);
  const { attempt } = await malote.endpoints.test(id);
  assert.equal(attempt.response_status, 200);
  assert.deepEqual(observed.map(({ outcome }) => outcome), ["handled"]);
  for (const { id: old, expires_at } of await malote.endpoints.secrets(id)) {
    if (expires_at !== null) {
      await malote.endpoints.revokeSecret(id, old);
    }
  }
  assert.equal((await malote.endpoints.test(id)).attempt.response_status, 401);
});

test("a batch is all or nothing, and lists go over all pages", async () => {
  await malote.tenants.create({ id: "batch", name: "Batch" });
  const events = Array.from({ length: 5 }, (_, n) => ({ tenant: "batch", type: "counted", data: n }));
  const published = await malote.publishBatch(events);
  const wrong = malote.publishBatch([...events, { tenant: "batch", type: "" }]);
  await assert.rejects(wrong, (error) => error instanceof MaloteError && error.status === 400 && error.index === 5);
  const ids = [];
  for await (const event of malote.events.list({ tenant: "batch", limit: 2 })) {
    ids.push(event.id);
  }
  assert.deepEqual(ids, published.map(({ id }) => id));
});

test("what Malote refuses is an error with its code", async () => {
  await assert.rejects(malote.publish({ tenant: "nobody", type: "a", data: 1 }), (error) => {
    assert.ok(error instanceof MaloteError);
    assert.deepEqual([error.status, error.code, error.title], [404, "unknown_tenant", "Not Found"]);
    assert.match(error.detail, /create it first/);
    return true;
  });
  const stranger = new Malote({ url: server.url, key: "mk_no_such_key" });
  await assert.rejects(stranger.lag(), (error) => error instanceof MaloteError && error.code === "unauthenticated");
});

test("a portal link opens a tenant's own pages", async () => {
  const link = await malote.portalLink({ tenant: "acme", role: "support", expires_in: "5m" });
  assert.deepEqual([link.tenant, link.role, link.url], ["acme", "support", null]);
  const page = await fetch(server.url + link.path);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("set-cookie"), null);
});

test("keys, policies and endpoints are managed", async () => {
  const key = await malote.keys.create({ scope: "publish", tenant: "acme", name: "shop" });
  assert.ok(key.key);
  const publisher = new Malote({ url: server.url, key: key.key });
  assert.equal((await publisher.publish({ type: "unheard", data: null })).deliveries, 0);
  await malote.keys.revoke(key.id);
  assert.ok((await malote.policies.list()).some(({ name }) => name === "standard"));
  assert.match(await malote.policies.contract("standard", { format: "markdown" }), /^#/);
  assert.ok((await malote.policies.schedule("standard")).attempts.length > 1);
  const { id } = await malote.endpoints.create({ tenant: "acme", url: "http://127.0.0.1:9/", event_types: ["none"] });
  assert.equal((await malote.endpoints.disable(id)).status, "disabled_by_user");
  assert.equal((await malote.endpoints.enable(id)).status, "active");
  assert.equal((await malote.endpoints.update(id, { description: "new" })).description, "new");
  await malote.endpoints.delete(id);
  await assert.rejects(malote.endpoints.get(id), (error) => error instanceof MaloteError && error.code === "not_found");
});
