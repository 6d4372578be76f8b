// Runs `npm run check`: all static checks, cheapest first. Runs every step, prints one line for
// each and the output of failing ones, and exits with a non-zero code if any failed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureNode } from "./ensure-node.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const folders = ["packages", "examples", "test", "tools", "bench"].filter((folder) =>
  existsSync(`${root}/${folder}`),
);

const steps = [
  {
    name: "format",
    what: "oxfmt: every file is formatted (fix: npm run format)",
    args: [bin("oxfmt/bin/oxfmt"), "--list-different", ...folders],
  },
  {
    name: "lint",
    what: "oxlint: correctness, floating promises, cycles, purity of cores",
    args: [
      bin("oxlint/bin/oxlint"),
      "--type-aware",
      "--deny-warnings",
      "--format=unix",
      ...folders,
    ],
  },
  {
    name: "types",
    what: "tsc: sources, tests, tools and examples",
    args: [bin("typescript/bin/tsc"), "--noEmit", "--pretty", "false", "-p", "."],
  },
  {
    name: "build",
    what: "each published package compiles and bundles on its own",
    args: ["tools/run.mjs", "tools/build/main.ts"],
  },
  {
    name: "architecture",
    what: "layers, package boundaries, lengths, error codes, documents",
    args: [
      "--conditions=homeostat-source",
      "--test",
      "--test-reporter=dot",
      "test/architecture/*.test.ts",
    ],
  },
];

if (await ensureNode()) process.exitCode = check(process.argv.slice(2));

function check(wanted) {
  const chosen = wanted.length === 0 ? steps : steps.filter((step) => wanted.includes(step.name));
  const failed = chosen.filter((step) => !passes(step)).map((step) => step.name);
  console.log(
    failed.length === 0
      ? `check: all ${chosen.length} steps passed`
      : `check: ${failed.join(", ")} failed`,
  );
  return failed.length === 0 ? 0 : 1;
}

function passes({ name, what, args }) {
  process.stdout.write(`${name.padEnd(13)}${what} … `);
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(status === 0 ? `ok (${seconds} s)` : `FAILED (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}${stderr}${error ?? ""}`.trimEnd());
  return status === 0;
}
