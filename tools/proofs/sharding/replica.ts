// One replica of the proof: reconciles its share, and writes a line for each run that begins and
// ends. `replica.ts KUBECONFIG IDENTITY LEASE_MS`
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createManager, defineController, generationChanged } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { Job, namespace, ring } from "./job.ts";

const [path, identity, leaseMs] = process.argv.slice(2);
const leaseDurationMs = Number(leaseMs);
const say = (what: string, ...more: readonly (string | number)[]): void =>
  void writeSync(1, `${[what, process.hrtime.bigint(), ...more].join(" ")}\n`);

let runs = 0;
const jobs = defineController(Job, {
  concurrency: 8,
  when: generationChanged,
  async reconcile({ object, client }) {
    const { name } = object.metadata;
    const run = ++runs;
    say("begin", name, run);
    let end = "failed";
    try {
      if (run % 50 === 0) await sleep(200);
      const status = { by: identity!, run, seen: object.spec.wanted };
      await client.patch(Job, name, { status }, { subresource: "status" });
      end = "end";
    } finally {
      say(end, name, run);
    }
  },
});
const log = (text: string): void => say("log", text);
const manager = createManager({
  operator: ring,
  controllers: [jobs],
  client: createClient({ access: await loadKubeconfig({ path: path! }), namespace }),
  namespace,
  log: { debug() {}, info: log, warn: log, error: log },
  sharding: {
    namespace,
    identity: identity!,
    leaseDurationMs,
    renewDeadlineMs: leaseDurationMs * 0.66,
    retryPeriodMs: leaseDurationMs * 0.13,
  },
});
await manager.run().catch((error: unknown) => say("log", String(error)));
process.exit();
