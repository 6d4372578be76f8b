// A candidate of an election of ours: a manager whose one controller patches the ConfigMap `log`
// again and again, without a resourceVersion, so that each write is accepted and says who led.
// our-candidate.ts NAMESPACE IDENTITY LEASE RENEW RETRY (in ms), with KUBECONFIG
import { createManager, defineController } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";

const [namespace, identity, ...timings] = process.argv.slice(2);
const [leaseDurationMs, renewDeadlineMs, retryPeriodMs] = timings.map(Number);
let count = 0;

const clock = defineController(ConfigMap, {
  reports: { events: false, conditions: false },
  async reconcile({ object, client, retry }) {
    if (object.metadata.name !== "clock") return;
    const data = { by: identity!, count: String(count++) };
    await client.patch(ConfigMap, "log", { data });
    return retry.in(10);
  },
});
const say = (text: string): void => console.log(text);
const manager = createManager({
  operator: "op",
  controllers: [clock],
  client: createClient({
    access: await loadKubeconfig({ path: process.env["KUBECONFIG"]! }),
    namespace: namespace!,
  }),
  namespace: namespace!,
  log: { debug() {}, info: say, warn: say, error: say },
  election: {
    namespace: namespace!,
    identity: identity!,
    leaseDurationMs: leaseDurationMs!,
    renewDeadlineMs: renewDeadlineMs!,
    retryPeriodMs: retryPeriodMs!,
  },
});
try {
  await manager.run();
  say("ended");
} catch (error) {
  say(`ended: ${String(error)}`);
}
process.exit();
