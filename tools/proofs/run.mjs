// What `npm run proofs` runs: every proof in this folder that a machine can repeat in seconds. A proof that needs what this
// machine lacks says so itself.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureNode } from "../ensure-node.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const proofs = ["tools/proofs/platform-node.ts", "tools/proofs/sqlite-kill.ts", "tools/proofs/mutated-requests.ts", "tools/proofs/source-everywhere.ts", "tools/proofs/watch-cancel/watch-cancel.ts"];

if (await ensureNode()) {
  const failed = proofs.filter((proof) => {
    console.log(`proof: ${proof}`);
    return spawnSync(process.execPath, ["tools/run.mjs", proof], { cwd: root, stdio: "inherit", timeout: 300_000 }).status !== 0;
  });
  console.log(failed.length === 0 ? `proofs: all ${proofs.length} hold` : `proofs: ${failed.join(", ")} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
