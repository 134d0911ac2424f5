// @ts-check
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

import * as malote from "malote";

/** @param {string} path */
const read = (path) => readFile(new URL(path, import.meta.url), "utf8");

test("require gives what import gives", async () => {
  const required = createRequire(import.meta.url)("malote");
  assert.deepEqual(Object.keys(required).sort(), Object.keys(malote).sort());
  const signature = await required.sign("a", new Date(1614265330_000), "", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  assert.match(signature, /^v1,.{44}$/);
});

test("the package brings nothing along and runs nothing when it is installed", async () => {
  const manifest = JSON.parse(await read("../package.json"));
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(Object.keys(manifest.scripts).filter((name) => /install|^prepare$/.test(name)), []);
});

test("the lock file does not say where packages were fetched from", async () => {
  assert.doesNotMatch(await read("../package-lock.json"), /"resolved"/);
});
