// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { MemorySeen } from "malote";

/** @param {MemorySeen} seen @param {string} id */
async function claimed(seen, id) {
  const claim = await seen.claim(id);
  assert.ok(typeof claim !== "string", `${id}: ${claim}`);
  return claim;
}

test("of many claims of an id one is given, until it is released", async () => {
  const seen = new MemorySeen();
  const answers = await Promise.all(Array.from({ length: 20 }, () => seen.claim("a")));
  const claims = answers.filter((answer) => typeof answer !== "string");
  assert.equal(claims.length, 1);
  assert.ok(answers.every((answer) => typeof answer !== "string" || answer === "being_handled"));
  await claims[0]?.release();
  const again = await claimed(seen, "a");
  await claims[0]?.keep(); // settled already: nothing happens
  assert.equal(await seen.claim("a"), "being_handled");
  await again.keep();
  await again.release();
  assert.equal(await seen.claim("a"), "handled");
});

test("handled ids go when they are old or too many, claimed ones never", async () => {
  let now = 0;
  const seen = new MemorySeen({ limit: 3, age: 60, now: () => new Date(now) });
  await claimed(seen, "held");
  for (const id of ["a", "b", "c", "d"]) {
    await (await claimed(seen, id)).keep();
  }
  assert.equal(await seen.claim("b"), "handled");
  await (await claimed(seen, "a")).release(); // the oldest of four
  now = 60_000;
  assert.equal(await seen.claim("held"), "being_handled");
  for (const id of ["b", "c", "d"]) {
    await claimed(seen, id);
  }
});
