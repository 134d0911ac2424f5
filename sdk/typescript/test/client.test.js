// @ts-check
// What the client sends, and what it makes of answers, against a server that
// answers by a script. test/malote.test.js runs against Malote itself.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";

import { ConnectionError, Malote, MaloteError } from "malote";

/** @typedef {{ method: string, path: string, headers: import("node:http").IncomingHttpHeaders, body: string }} Sent */
/** @typedef {{ status?: number, headers?: Record<string, string>, body?: unknown, hang?: boolean, cut?: boolean }} Answer */

const published = { id: "evt_1", duplicate: false, deliveries: 1, skipped: 0 };
const unavailable = { status: 503, body: { code: "unavailable", title: "Service Unavailable", detail: "down" } };

/** @type {import("node:http").Server[]} */
const servers = [];
after(() => servers.forEach((server) => void (server.close(), server.closeAllConnections())));

/**
 * A client of a server that gives these answers, one a request, and what it was sent.
 * @param {Answer[]} script
 * @param {Partial<import("malote").TransportOptions>} [options]
 */
async function scripted(script, options) {
  /** @type {Sent[]} */
  const sent = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) {
      body += part;
    }
    sent.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const answer = script[Math.min(sent.length, script.length) - 1];
    if (answer?.cut) {
      request.socket.destroy();
    } else if (!answer?.hang) {
      const { status = 200, headers = {} } = answer ?? {};
      const type = status < 400 ? "application/json" : "application/problem+json";
      response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(answer?.body ?? {}));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { malote: new Malote({ url: `http://127.0.0.1:${port}/base/`, key: " key\n", ...options }), sent };
}

test("a request carries the key and goes to its path", async () => {
  const { malote, sent } = await scripted([{ body: { data: [], next_cursor: null } }, { body: { id: "whe_1" } }, { status: 204 }]);
  for await (const _ of malote.endpoints.list({ tenant: "a&b", counts: true })) {
    assert.fail("the list is empty");
  }
  await malote.endpoints.get("whe/1?");
  await malote.endpoints.revokeSecret("whe_1", "sec_1");
  assert.deepEqual(sent.map(({ method, path }) => `${method} ${path}`), [
    "GET /base/v1/webhook_endpoints?tenant=a%26b&counts=true",
    "GET /base/v1/webhook_endpoints/whe%2F1%3F",
    "DELETE /base/v1/webhook_endpoints/whe_1/secrets/sec_1",
  ]);
  assert.ok(sent.every(({ headers }) => headers.authorization === "Bearer key"));
  for (const id of ["", ".", ".."]) {
    await assert.rejects(malote.endpoints.get(id), TypeError);
  }
});

test("an address or a key that cannot be meant is refused, and not repeated", () => {
  for (const url of ["", "malote.example.com", "ftp://x", "https://u:hunter2@x/", "https://x/?a=1", "https://x/#a"]) {
    assert.throws(() => new Malote({ url, key: "k" }), (error) => error instanceof TypeError && !/hunter2/.test(error.message));
  }
  for (const key of ["", " ", "a b", "a\nb", "ключ", /** @type {any} */ (undefined)]) {
    assert.throws(() => new Malote({ url: "https://x", key }), TypeError);
  }
});

test("data given as text or bytes is sent byte for byte, anything else encoded once", async () => {
  const { malote, sent } = await scripted([{ status: 202, body: published }]);
  const text = '{ "b":1.0,  "a":12345678901234567890, "e":"\\u00e9/é😀" }';
  /** @type {[data: unknown, expected: string][]} */
  const cases = [
    [text, text],
    [Buffer.from(text), text],
    ['"text"', '"text"'],
    [" null\n", " null\n"],
    [null, "null"],
    [{ text: 'a"b', at: new Date(0) }, '{"text":"a\\"b","at":"1970-01-01T00:00:00.000Z"}'],
    [[1, 2], "[1,2]"],
  ];
  for (const [data, expected] of cases) {
    await malote.publish({ tenant: "acme", type: "a", data, idempotency_key: "k", occurred_at: new Date(0) });
    const head = '{"tenant":"acme","type":"a","idempotency_key":"k","occurred_at":"1970-01-01T00:00:00.000Z"';
    assert.equal(sent.at(-1)?.body, `${head},"data":${expected}}`);
  }
  await malote.publish({ type: "a", body: Uint8Array.of(0, 255), content_type: "application/octet-stream", idempotency_key: "k" });
  assert.equal(JSON.parse(sent.at(-1)?.body ?? "").body_base64, "AP8=");
  const count = sent.length;
  for (const data of ["text", "", '1,"tenant":"other"', "{} {}", "\ufeff{}", '"\ud800"', Buffer.from([0x22, 0xff, 0x22]), () => 1, 1n]) {
    await assert.rejects(malote.publish({ type: "a", data }), TypeError, String(data));
  }
  assert.equal(sent.length, count);
});

test("a publish is repeated with its own idempotency key until it is answered", async () => {
  const retryAfter = { ...unavailable, headers: { "retry-after": "0" } };
  const { malote, sent } = await scripted([{ cut: true }, retryAfter, { status: 202, body: published }]);
  assert.deepEqual(await malote.publish({ type: "a", data: 1 }), published);
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
  const { idempotency_key: first } = JSON.parse(sent[0]?.body ?? "");
  await malote.publish({ type: "a", data: 1 });
  assert.notEqual(JSON.parse(sent[3]?.body ?? "").idempotency_key, first);
});

test("every event of a batch has a key of its own", async () => {
  const { malote, sent } = await scripted([unavailable, { status: 202, body: { data: [published, published] } }]);
  const events = [{ type: "a", data: "[1 ]" }, { type: "b", data: { c: 1 }, idempotency_key: "mine" }];
  assert.deepEqual(await malote.publishBatch(events), [published, published]);
  assert.equal(sent[0]?.body, sent[1]?.body);
  assert.match(sent[0]?.body ?? "", /"data":\[1 \]\}/);
  const keys = JSON.parse(sent[0]?.body ?? "").events.map((/** @type {any} */ event) => event.idempotency_key);
  assert.match(keys[0], /^[0-9a-f-]{36}$/);
  assert.equal(keys[1], "mine");
});

test("what creates is repeated with an Idempotency-Key, what changes is not repeated", async () => {
  const { malote, sent } = await scripted([unavailable, { status: 201, body: { id: "whe_1" } }]);
  await malote.endpoints.create({ url: "https://x" });
  assert.equal(sent.length, 2);
  assert.match(sent[0]?.headers["idempotency-key"]?.toString() ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(sent[0]?.headers["idempotency-key"], sent[1]?.headers["idempotency-key"]);
  const changes = [
    () => malote.endpoints.update("whe_1", { url: "https://y" }),
    () => malote.endpoints.delete("whe_1"),
    () => malote.deliveries.replay("whd_1"),
    () => malote.endpoints.test("whe_1"),
  ];
  for (const change of changes) {
    sent.length = 0;
    await assert.rejects(change(), MaloteError);
    assert.equal(sent.length, 1);
  }
});

test("tries end: by their number, by a long Retry-After, by a failure that stays", async () => {
  for (const [answer, tries] of /** @type {[Answer, number][]} */ ([
    [unavailable, 2],
    [{ ...unavailable, headers: { "retry-after": "3600" } }, 1],
    [{ status: 500, body: { code: "internal", detail: "broken", request_id: "req_1" } }, 1],
    [{ status: 404, body: { code: "not_found", detail: "gone" } }, 1],
  ])) {
    const { malote, sent } = await scripted([answer], { tries: 2 });
    await assert.rejects(malote.lag(), MaloteError);
    assert.equal(sent.length, tries);
  }
});

test("a failure says what Malote says", async () => {
  const problem = {
    type: "/docs#invalid_request", title: "Bad Request", status: 400, code: "invalid_request",
    detail: "Two things are wrong; the key was key.", index: 3, request_id: "req_1",
    errors: [{ field: "url", detail: "is missing" }, { field: "policy", detail: "is unknown" }],
  };
  const { malote } = await scripted([{ status: 400, body: problem, headers: { "retry-after": "7" } }, { status: 302, headers: { location: "/x" } }]);
  await assert.rejects(malote.lag(), (error) => {
    assert.ok(error instanceof MaloteError);
    const { status, code, title, index, requestId, retryAfter, errors, temporary } = error;
    assert.deepEqual(
      { status, code, title, index, requestId, retryAfter, temporary },
      { status: 400, code: "invalid_request", title: "Bad Request", index: 3, requestId: "req_1", retryAfter: 7, temporary: false },
    );
    assert.equal(errors.length, 2);
    assert.equal(
      error.message,
      "GET /v1/stats/lag: invalid_request (400): Two things are wrong; the [key] was [key]. url: is missing policy: is unknown",
    );
    return true;
  });
  await assert.rejects(malote.lag(), (error) => error instanceof MaloteError && error.status === 302 && error.code === "");
});

test("a call ends with its signal, a try with its timeout", async () => {
  const { malote, sent } = await scripted([{ hang: true }], { tries: 1 });
  await assert.rejects(malote.lag({ timeout: 20 }), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.match(error.message, /GET \/v1\/stats\/lag: no whole answer within 20 ms/);
    return true;
  });
  const reason = new Error("enough");
  await assert.rejects(malote.lag({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal(sent.length, 1);
  const stop = new AbortController();
  const asked = malote.lag({ signal: stop.signal });
  stop.abort(reason);
  await assert.rejects(asked, reason);
  const paused = await scripted([{ ...unavailable, headers: { "retry-after": "20" } }]);
  const waiting = new AbortController();
  const later = paused.malote.lag({ signal: waiting.signal });
  later.catch(() => {});
  while (paused.sent.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  waiting.abort(reason);
  await assert.rejects(later, reason);
});

test("a list is fetched as it is gone through", async () => {
  const pages = [
    { data: [{ id: 1 }, { id: 2 }], next_cursor: "a", complete_until: "t1" },
    { data: [], next_cursor: "b", complete_until: "t2" },
    { data: [{ id: 3 }], next_cursor: null, complete_until: "t3" },
  ];
  const { malote, sent } = await scripted(pages.map((body) => ({ body })));
  const ids = [];
  for await (const event of malote.events.list({ tenant: "acme", limit: 2 })) {
    ids.push(event.id);
  }
  assert.deepEqual(ids, [1, 2, 3]);
  assert.deepEqual(sent.map(({ path }) => path), ["", "&cursor=a", "&cursor=b"].map((more) => `/base/v1/events?tenant=acme&limit=2${more}`));
  const first = await malote.events.list().pages("z").next();
  assert.equal(first.value?.complete_until, "t3");
  assert.equal(sent.at(-1)?.path, "/base/v1/events?cursor=z");
});

test("printing a client does not show its key", async () => {
  const { inspect } = await import("node:util");
  const malote = new Malote({ url: "https://x", key: "hunter2" });
  assert.doesNotMatch(inspect(malote, { showHidden: true, depth: null }) + JSON.stringify(malote), /hunter2/);
});
