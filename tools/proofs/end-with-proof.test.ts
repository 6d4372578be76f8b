// A proof that is ended by a signal leaves no process and no folder behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../test/fixtures/until.ts";

const runner = fileURLToPath(new URL("run.mjs", import.meta.url));

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes of this machine that have not ended. */
function processes(): readonly Process[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
    } catch {
      return [];
    }
  });
}

function descendantsOf(pid: number): readonly Process[] {
  const all = processes();
  const of = (parent: number): readonly Process[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...of(one.pid)]);
  return of(pid);
}

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(
    `${signal} ends a proof with its server and its replicas`,
    { skip: process.platform === "linux" ? false : "needs /proc" },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "homeostat-proofs-"));
      const env = { ...process.env, TMPDIR: folder, NODE_TEST_CONTEXT: undefined };
      const proof = spawn(process.execPath, [runner, "failover", "--rounds", "1000"], {
        stdio: "ignore",
        env,
      });
      const closed = once(proof, "close");
      const has = (command: string): boolean =>
        started().some((one) => one.command.includes(command));
      const started = (): readonly Process[] => descendantsOf(proof.pid!);
      await until(() => has("failover/replica.ts") && has("homeostat.js server"), {
        everyMs: 50,
        timeoutMs: 60_000,
      });
      const all = new Set(started().map(({ pid }) => pid));
      assert.ok(all.size >= 4, `${all.size} processes`);
      proof.kill(signal);
      await closed;
      const left = (): readonly Process[] => processes().filter(({ pid }) => all.has(pid));
      await until(() => left().length === 0, { everyMs: 20 }).finally(() => {
        for (const { pid } of left()) process.kill(pid, "SIGKILL");
      });
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith("homeostat-")),
        [],
      );
      rmSync(folder, { recursive: true });
    },
  );
