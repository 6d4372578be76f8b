// Runs `npm run proofs`: every proof in this folder that takes minutes at most; a proof says when
// its requirements are missing. `npm run proofs -- NAME [ARGS…]` runs one with its own arguments:
// `npm run proofs -- server-kill 1000 --fsync`, `npm run proofs -- mutated-requests 200000`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ensureNode } from "../ensure-node.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const proofs = [
  "platform-node.ts",
  "sqlite-kill.ts",
  "server-kill/server-kill.ts",
  "mutated-requests.ts",
  "hostile-wire/hostile-wire.ts",
  "source-everywhere.ts",
  "watch-cancel/watch-cancel.ts",
  "failover/failover.ts",
  "webhook-rotation/webhook-rotation.ts",
  "sharding/sharding.ts",
  "corpus/corpus.ts",
];
const [name, ...args] = process.argv.slice(2);
const chosen = name === undefined ? proofs : proofs.filter((proof) => proof.endsWith(`${name}.ts`));

if (chosen.length === 0) {
  console.error(
    `unknown proof ${name}; expected one of ${proofs.map((proof) => proof.replace(/^.*\/|\.ts$/g, "")).join(", ")}`,
  );
  process.exitCode = 2;
} else if (await ensureNode()) {
  const failed = [];
  for (const proof of chosen) if (!(await passes(proof))) failed.push(proof);
  console.log(
    failed.length === 0
      ? `proofs: ${name === undefined ? `all ${proofs.length} passed` : "passed"}`
      : `proofs: ${failed.join(", ")} failed`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Runs a proof. A signal reaches it, and ends this process once the proof has ended. */
async function passes(proof) {
  console.log(`proof: ${proof}`);
  const limit = name === undefined ? { timeout: 600_000 } : {};
  const command = ["tools/run.mjs", `tools/proofs/${proof}`, ...args];
  const child = spawn(process.execPath, command, { cwd: root, stdio: "inherit", ...limit });
  let asked;
  const pass = (signal) => child.kill((asked = signal));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  const [code] = await once(child, "close");
  for (const signal of signals) process.off(signal, pass);
  if (asked) process.exit(code ?? 1);
  return code === 0;
}
