// @ts-check
// Both receivers give the same answers, which are those of Go's webhook.Handler.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as send } from "node:http";
import { after, test } from "node:test";

import { MemorySeen, StatusError, UsageError, VerifyError, fetchHandler, nodeHandler, sign } from "malote";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"type":"invoice.paid"}';
const limit = 200_000;

/** @typedef {import("malote").ReceiverOptions} Options */
/** @typedef {(method: string, headers: Record<string, string>, body: BodyInit) => Promise<Response>} Post */
/** @typedef {(handle: import("malote").Handle, options: Options) => Promise<Post>} Mount */

/** @type {(() => void)[]} */
const closers = [];
after(() => closers.forEach((close) => close()));

/** @param {import("node:http").RequestListener} listener */
async function serve(listener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => void (server.close(), server.closeAllConnections()));
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/** @type {Record<string, Mount>} */
const mounts = {
  async nodeHandler(handle, options) {
    const port = await serve(nodeHandler(secret, handle, options));
    return (method, headers, body) => fetch(`http://127.0.0.1:${port}/`, withBody(method, headers, body));
  },
  async fetchHandler(handle, options) {
    const handler = fetchHandler(secret, handle, options);
    return (method, headers, body) => handler(new Request("http://receiver/", withBody(method, headers, body)));
  },
};

/** @param {string} method @param {Record<string, string>} headers @param {BodyInit} body */
function withBody(method, headers, body) {
  const streamed = body instanceof ReadableStream ? { duplex: "half" } : {};
  return /** @type {RequestInit} */ ({ method, headers, ...(method === "GET" ? {} : { body }), ...streamed });
}

/** @param {string} id @param {string} payload @param {Date} [at] */
async function signed(id, payload, at = new Date()) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": await sign(id, at, payload, secret),
  };
}

/** @param {Response} response @param {number} status @param {string} code */
async function assertProblem(response, status, code) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const problem = /** @type {any} */ (await response.json());
  assert.deepEqual([problem.type, problem.status, problem.code], ["about:blank", status, code]);
  assert.ok(problem.detail.length > 20 && problem.title.length > 2);
  return problem;
}

for (const [name, mount] of Object.entries(mounts)) {
  test(`${name} handles a webhook once`, async () => {
    /** @type {import("malote").Message[]} */
    const handled = [];
    /** @type {import("malote").Observation[]} */
    const observed = [];
    const post = await mount((message) => handled.push(message), { observe: (o) => observed.push(o) });
    for (const duplicate of [false, true, true]) {
      const response = await post("POST", await signed("evt_1", body), body);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.deepEqual(await response.json(), { id: "evt_1", duplicate });
    }
    assert.deepEqual(handled.map((message) => message.text()), [body]);
    assert.deepEqual(observed.map(({ outcome, status }) => [outcome, status]), [["handled", 200], ["duplicate", 200], ["duplicate", 200]]);
  });

  test(`${name} refuses what is not genuine, and says why`, async () => {
    /** @type {unknown[]} */
    const errors = [];
    const post = await mount(() => assert.fail("handled"), { maxBody: limit, observe: ({ error }) => errors.push(error) });
    const genuine = await signed("evt_1", body);
    await assertProblem(await post("POST", genuine, `${body} `), 401, "bad_signature");
    const late = await signed("evt_1", body, new Date(Date.now() - 3_600_000));
    assert.match((await assertProblem(await post("POST", late, body), 401, "stale")).detail, /compare the clocks/);
    const { "webhook-id": _, ...without } = genuine;
    await assertProblem(await post("POST", without, body), 400, "missing_header");
    await assertProblem(await post("POST", { ...genuine, "webhook-timestamp": "now" }, body), 400, "malformed");
    assert.ok(errors.every((error) => error instanceof VerifyError));
    const get = await post("GET", genuine, "");
    assert.equal(get.headers.get("allow"), "POST");
    await assertProblem(get, 405, "method_not_allowed");
  });

  test(`${name} reads no more than it may`, async () => {
    const post = await mount(() => {}, { maxBody: limit, observe: () => {} });
    const largest = "x".repeat(limit);
    assert.equal((await post("POST", await signed("evt_1", largest), largest)).status, 200);
    const headers = await signed("evt_2", `${largest}x`);
    await assertProblem(await post("POST", headers, `${largest}x`), 413, "body_too_large");
    const parts = new Blob([`${largest}x`]).stream(); // without a Content-Length
    await assertProblem(await post("POST", headers, parts), 413, "body_too_large");
  });

  test(`${name} asks for another attempt when the handler throws`, async () => {
    /** @type {Error[]} */
    const failures = [new Error("secret"), new StatusError(429, { retryAfter: 1.5 }), new StatusError(42)];
    const post = await mount(() => { const failure = failures.shift(); if (failure) throw failure; }, { observe: () => {} });
    const headers = await signed("evt_1", body);
    const problem = await assertProblem(await post("POST", headers, body), 500, "handler_failed");
    assert.doesNotMatch(JSON.stringify(problem), /secret/);
    const busy = await post("POST", headers, body);
    assert.equal(busy.headers.get("retry-after"), "2");
    await assertProblem(busy, 429, "handler_failed");
    await assertProblem(await post("POST", headers, body), 500, "handler_failed");
    assert.deepEqual(await (await post("POST", headers, body)).json(), { id: "evt_1", duplicate: false });
  });

  test(`${name} does not wait for a request that is being handled`, async () => {
    /** @type {() => void} */
    let finish = () => {};
    /** @type {() => void} */
    let begun = () => {};
    const beginning = new Promise((resolve) => (begun = () => resolve(undefined)));
    const post = await mount(() => new Promise((resolve) => ((finish = () => resolve(undefined)), begun())), {});
    const headers = await signed("evt_1", body);
    const first = post("POST", headers, body);
    await beginning;
    const second = await post("POST", headers, body);
    assert.equal(second.headers.get("retry-after"), "5");
    await assertProblem(second, 503, "in_progress");
    finish();
    assert.equal((await first).status, 200);
  });

  test(`${name} tells a store that fails from a webhook that does`, async () => {
    /** @type {import("malote").Observation[]} */
    const observed = [];
    /** @param {import("malote").Seen} seen */
    const mounted = (seen) => mount(() => {}, { seen, observe: (o) => observed.push(o) });
    const headers = await signed("evt_1", body);
    const broken = () => Promise.reject(new Error("down"));
    const blind = await (await mounted({ claim: broken }))("POST", headers, body);
    assert.equal(blind.headers.get("retry-after"), "5");
    await assertProblem(blind, 503, "store_unavailable");
    // The work is done, though it could not be recorded.
    const forgetful = await mounted({ claim: async () => ({ keep: broken, release: broken }) });
    assert.equal((await forgetful("POST", headers, body)).status, 200);
    assert.deepEqual(observed.map(({ outcome }) => outcome), ["failed", "handled"]);
    assert.ok(observed.every(({ error }) => error instanceof Error));
  });
}

test("a handler that is given no secret is not made", () => {
  const missing = /** @type {any} */ (process.env["NO_SUCH_SECRET"]);
  assert.throws(() => nodeHandler(missing, () => {}), UsageError);
  assert.throws(() => fetchHandler([], () => {}), UsageError);
});

test("nodeHandler under Express takes raw bodies, and says so when a parser was first", async () => {
  /** @type {import("malote").Observation[]} */
  const observed = [];
  const handler = nodeHandler(secret, () => {}, { seen: new MemorySeen(), observe: (o) => observed.push(o) });
  /** @type {Record<string, (bytes: Buffer) => object>} */
  const parsers = {
    "/raw": (bytes) => ({ body: bytes }),
    "/text": (bytes) => ({ body: bytes.toString() }),
    "/platform": (bytes) => ({ body: JSON.parse(bytes.toString()), rawBody: bytes }),
    "/json": (bytes) => ({ body: JSON.parse(bytes.toString()) }),
  };
  const port = await serve(async (request, response) => {
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    await handler(Object.assign(request, parsers[request.url ?? ""]?.(Buffer.concat(parts))), response);
  });
  for (const path of Object.keys(parsers)) {
    const headers = await signed(`evt_${path.slice(1)}`, body);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    if (path === "/json") {
      await assertProblem(response, 500, "body_already_parsed");
      assert.match(String(observed.at(-1)?.error), /express\.json\(\).*express\.raw/);
    } else {
      assert.equal(response.status, 200, path);
    }
  }
});

test("fetchHandler says so when the body was read before", async () => {
  /** @type {unknown[]} */
  const errors = [];
  const handler = fetchHandler(secret, () => {}, { observe: ({ error }) => errors.push(error) });
  const request = new Request("http://receiver/", { method: "POST", headers: await signed("evt_1", body), body });
  await request.json();
  await assertProblem(await handler(request), 500, "body_already_parsed");
  assert.match(String(errors[0]), /before anything calls json\(\)/);
});

test("nodeHandler survives a body that breaks off", async () => {
  /** @type {(observation: import("malote").Observation) => void} */
  let refused = () => {};
  const refusal = new Promise((resolve) => (refused = resolve));
  const port = await serve(nodeHandler(secret, () => {}, { observe: refused }));
  const headers = { ...(await signed("evt_1", body)), "content-length": "100" };
  const broken = send({ port, host: "127.0.0.1", method: "POST", headers }).on("error", () => {});
  broken.write(body, () => setImmediate(() => broken.destroy()));
  const { outcome, status } = /** @type {import("malote").Observation} */ (await refusal);
  assert.deepEqual([outcome, status], ["refused", 400]);
});
