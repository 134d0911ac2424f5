// @ts-check
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const binary = process.env["MALOTE_BIN"] ?? fileURLToPath(new URL("../../../bin/malote", import.meta.url));

/**
 * Starts Malote with a private PostgreSQL in a folder of its own, and stops and
 * removes both.
 */
export async function startMalote() {
  const folder = await mkdtemp(join(tmpdir(), "malote-sdk-"));
  await chmod(folder, 0o755); // started as root, PostgreSQL runs as another user
  const address = `127.0.0.1:${await freePort()}`;
  const data = join(folder, "data");
  const flags = ["--data-dir", data, "--listen", address, "--allow-destinations", "127.0.0.0/8"];
  const child = spawn(binary, ["serve", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (log += text));
  }
  let ended = false;
  const exited = once(child, "exit").then(
    () => (ended = true),
    (error) => ((ended = true), (log += error)), // the program is not there
  );
  const killed = () => child.kill("SIGTERM");
  process.once("exit", killed);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => process.exit(1));
  }

  async function stop() {
    process.removeListener("exit", killed);
    child.kill("SIGTERM");
    await exited;
    await rm(folder, { recursive: true, force: true });
  }
  const url = `http://${address}`;
  try {
    await eventually("Malote to be ready", async () => {
      assert.ok(!ended, "it ended");
      return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok;
    });
    return { url, key: (await readFile(join(data, "admin-key"), "utf8")).trim(), stop };
  } catch (error) {
    await stop();
    throw new Error(`${binary} did not start: ${log}`, { cause: error });
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Asks until the answer is no longer empty.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} ask
 * @returns {Promise<NonNullable<T>>}
 */
export async function eventually(what, ask) {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await wait(50)) {
    const answer = await ask();
    if (answer) {
      return answer;
    }
  }
  throw new Error(`waited a minute for ${what}`);
}
