// Compiles src to dist, as ES modules and as CommonJS. With --check it compiles
// elsewhere and fails when the JavaScript in dist is not what comes out: that is
// committed, so that it can be tested and used where there is no npm.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

function compile(out) {
  rmSync(out, { recursive: true, force: true });
  const run = (...flags) => execFileSync(process.execPath, [tsc, "-p", root, ...flags], { stdio: "inherit" });
  run("--outDir", join(out, "esm"));
  run("--outDir", join(out, "cjs"), "--module", "commonjs", "--moduleResolution", "node10", "--verbatimModuleSyntax", "false");
  writeFileSync(join(out, "cjs", "package.json"), '{ "type": "commonjs" }\n');
}

/** The committed files below a folder, by their path, with what is in them. */
function committed(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => /\.js(on)?$/.test(path));
  return new Map(files.sort().map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function differences(old, fresh) {
  const paths = new Set([...old.keys(), ...fresh.keys()]);
  return [...paths].filter((path) => old.get(path) !== fresh.get(path));
}

const dist = join(root, "dist");
if (!process.argv.includes("--check")) {
  compile(dist);
} else {
  const out = mkdtempSync(join(tmpdir(), "malote-dist-"));
  try {
    compile(out);
    const stale = differences(committed(dist), committed(out));
    if (stale.length > 0) {
      console.error(`dist is not what src compiles to (${stale.join(", ")}): run make sdk-typescript and commit dist`);
      process.exitCode = 1;
    } else {
      cpSync(out, dist, { recursive: true }); // with the declarations, which tests are checked against
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
