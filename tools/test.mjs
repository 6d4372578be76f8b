// Runs `npm test`: every *.test.ts of packages, examples, test and tools, from source, with Node's
// test runner. Arguments restrict it to paths with these prefixes (`npm test -- packages/cel`);
// arguments that start with a dash are passed to node. *.reference.ts files need the reference
// control plane: `npm run test:reference` runs them.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ensureNode } from "./ensure-node.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const places = ["examples", "packages", "test", "tools"];
const skipped = new Set(["node_modules", "dist", ".cache", "testdata"]);
/** A test that takes longer hangs, and so does a file, also after its tests. */
const [testLimitMs, fileLimitMs] = [200_000, 600_000];
/** The whole run, hung files included. */
const runLimitMs = 1_800_000;

if (await ensureNode()) process.exitCode = await run(process.argv.slice(2));

async function run(args) {
  const files = discover(args.filter((arg) => !arg.startsWith("-")));
  if (files.length === 0) {
    console.error("no test files match");
    return 1;
  }
  const options = [
    "--conditions=homeostat-source",
    "--test",
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${testLimitMs}`,
    `--import=${new URL("limit-test-file.mjs", import.meta.url).href}`,
    ...args.filter((arg) => arg.startsWith("-")),
  ];
  console.log(`${files.length} test files`);
  const env = {
    ...process.env,
    TEST_FILE_LIMIT_MS: String(fileLimitMs),
    NODE_COMPILE_CACHE: fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url)),
  };
  return await finished(
    spawn(process.execPath, [...options, ...files], {
      cwd: root,
      stdio: "inherit",
      env,
      detached: process.platform !== "win32",
    }),
  );
}

function discover(wanted) {
  const files = places.flatMap((place) => testFilesUnder(place)).sort();
  return wanted.length === 0
    ? files
    : files.filter((file) => wanted.some((path) => file.startsWith(path.replace(/^\.\//, ""))));
}

function testFilesUnder(folder) {
  return readdirSync(new URL(`../${folder}`, import.meta.url), { withFileTypes: true }).flatMap(
    (entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : testFilesUnder(path);
      return entry.name.endsWith(".test.ts") ? [path] : [];
    },
  );
}

/** The runner has a process group of its own, so that nothing it started outlives it. */
function finished(child) {
  const stop = (signal) => {
    try {
      process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
    } catch {
      // Gone already.
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(signal));
  const limit = setTimeout(() => {
    console.error(`the tests did not end within ${runLimitMs / 1000} s`);
    stop("SIGKILL");
  }, runLimitMs);
  return new Promise((done) => {
    child.on("close", (code) => {
      clearTimeout(limit);
      stop("SIGKILL");
      done(code ?? 1);
    });
  });
}
