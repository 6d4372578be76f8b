// One replica of the proof. Each reconcile writes a line when it begins, and when a write of it was
// refused, with the wall time in ms. `replica.ts KUBECONFIG IDENTITY LEASE RENEW RETRY` (in ms)
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createManager, defineController, generationChanged, isHomeostatError } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { namespace, operator, Ticket } from "./ticket.ts";

const [path, identity, ...timings] = process.argv.slice(2);
const [leaseDurationMs, renewDeadlineMs, retryPeriodMs] = timings.map(Number);
const say = (what: string, text: string): void =>
  void writeSync(1, `${what} ${Date.now()} ${text}\n`);

const tickets = defineController(Ticket, {
  concurrency: 4,
  when: generationChanged,
  async reconcile({ object, client }) {
    const { name } = object.metadata;
    say("reconcile", name);
    const { wanted } = object.spec;
    const by = identity!;
    try {
      await client.patch(
        Ticket,
        name,
        { status: { by, begun: wanted } },
        { subresource: "status" },
      );
      await sleep(5);
      await client.patch(Ticket, name, { status: { by, seen: wanted } }, { subresource: "status" });
    } catch (error) {
      if (isHomeostatError(error, "ERR_ELECTION_FENCED")) say("fenced", name);
      throw error;
    }
  },
});
const log = (text: string): void => say("log", text);
const manager = createManager({
  operator,
  controllers: [tickets],
  client: createClient({
    access: await loadKubeconfig({ path: path! }),
    namespace,
    userAgent: identity!,
  }),
  namespace,
  log: { debug() {}, info: log, warn: log, error: log },
  election: {
    namespace,
    identity: identity!,
    leaseDurationMs: leaseDurationMs!,
    renewDeadlineMs: renewDeadlineMs!,
    retryPeriodMs: retryPeriodMs!,
    whenLost: "standBy",
  },
});
await manager.run().catch((error: unknown) => log(String(error)));
process.exit();
