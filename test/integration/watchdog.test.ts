// A blocked event loop is reported while it is blocked, by a thread of its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { sleep } from "../fixtures/laws.ts";
import { checkDocumented, introspectionPath } from "../fixtures/read-introspection.ts";
import { readStream } from "../fixtures/read-stream.ts";
import { until } from "../fixtures/until.ts";

const fixture = fileURLToPath(new URL("../fixtures/blocked-loop/main.ts", import.meta.url));

function startProgram(program: string, where: string) {
  const args = ["--conditions=homeostat-source", program, where];
  const child = spawn(process.execPath, args, { timeout: 60_000 });
  const closed = once(child, "close");
  const heard = { saidWhileBlocked: "", out: "" };
  child.stdout.on("data", (chunk: Buffer) => (heard.out += chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    if (!heard.out.includes("was blocked")) heard.saidWhileBlocked += chunk;
  });
  return { child, closed, heard };
}

async function ended({ closed, heard }: ReturnType<typeof startProgram>) {
  const [status] = (await closed) as [number | null];
  const blocked = /^blocked: (.*)$/m.exec(heard.out)?.[1] ?? "undefined";
  return {
    status,
    ...heard,
    blocked: blocked === "undefined" ? undefined : JSON.parse(blocked),
  };
}

const runProgram = (program: string, where: string) => ended(startProgram(program, where));

/** One line on stderr, one in the log, one in the summary, with the same words about where. */
async function expectBlocked(program: string, where: string, words: RegExp): Promise<void> {
  const { status, out, saidWhileBlocked, blocked } = await runProgram(program, where);
  assert.equal(status, 0, saidWhileBlocked);
  const [, seconds, what = ""] =
    /^homeostat: the event loop has been blocked for ([\d.]+) s(.*)\n$/.exec(saidWhileBlocked) ??
    assert.fail(`on stderr: ${JSON.stringify(saidWhileBlocked)}`);
  assert.ok(Number(seconds) >= 0.5 && Number(seconds) < 1.5, seconds);
  assert.match(what, words);
  const [, after, same] = /^the event loop was blocked for ([\d.]+) s(.*)$/m.exec(out)!;
  assert.ok(Number(after) >= 1.4, after);
  assert.equal(same, what);
  assert.equal(blocked.times, 1);
  assert.ok(blocked.longestMs >= 1400);
  assert.deepEqual(
    blocked.last.map((one: any) => one.where),
    [what.replace(/^, /, "")],
  );
  checkDocumented("summary", { blocked });
}

describe("the watchdog of the event loop", { concurrency: 1, timeout: 120_000 }, () => {
  for (const [where, words] of [
    ["at once", /^, in the reconcile of boxes default\/a$/],
    ["after a request", /^, in the reconcile of boxes default\/a$/],
    ["after a pause", /^, while the reconcile of boxes default\/a runs$/],
    ["elsewhere", /^$/],
  ] as const)
    it(`names the reconcile whose code blocks ${where}, as far as that is known`, () =>
      expectBlocked(fixture, where, words));

  it("is not there unless it is asked for", async () => {
    const { status, saidWhileBlocked, out, blocked } = await runProgram(fixture, "without");
    assert.deepEqual([status, saidWhileBlocked, blocked], [0, "", undefined]);
    assert.ok(!out.includes("was blocked"), out);
  });

  it("reports no process that stood still as a whole", async () => {
    const program = startProgram(fixture, "and stands still");
    await until(() => program.heard.out.includes("ready"));
    program.child.kill("SIGSTOP");
    await sleep(1500);
    program.child.kill("SIGCONT");
    const { status, saidWhileBlocked, out } = await ended(program);
    assert.deepEqual([status, saidWhileBlocked], [0, ""]);
    assert.ok(!out.includes("was blocked"), out);
  });

  it("ends with the process at SIGTERM, and so do streams that are open", async () => {
    const program = startProgram(fixture, "until SIGTERM");
    const port = await until(() => /^port (\d+)$/m.exec(program.heard.out)?.[1]);
    const at = `http://127.0.0.1:${port}${introspectionPath}/stream`;
    const streams = await Promise.all([
      readStream(at),
      ...Array.from({ length: 10 }, () => readStream(at, { isPaused: true })),
    ]);
    await streams[0]!.first(({ name }) => name === "hello");
    const began = performance.now();
    program.child.kill("SIGTERM");
    const { status, out } = await ended(program);
    assert.equal(status, 0, out);
    assert.ok(performance.now() - began < 3000);
    await streams[0]!.ended;
    assert.equal(streams[0]!.events.at(-1)?.name, "end");
    for (const one of streams) one.close();
  });

  it("works in a program that a bundler has made one minified file of", async () => {
    const folder = await mkdtemp(join(tmpdir(), "homeostat-watchdog-"));
    try {
      const file = join(folder, "main.mjs");
      const bundle = await rolldown({
        input: fixture,
        platform: "node",
        external: [/^@homeostat\//],
        resolve: { conditionNames: ["homeostat-source", "import", "node", "default"] },
      });
      await bundle.write({ file, minify: true, codeSplitting: false });
      await bundle.close();
      const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));
      await symlink(modules, join(folder, "node_modules"));
      await expectBlocked(file, "at once", /^, in the reconcile of boxes default\/a$/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
