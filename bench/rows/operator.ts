// The operator of a row, in a separate process to measure its CPU and memory. Arguments:
// kubeconfig, namespace, workers, state of tracing, what watches it. Prints "started" once it is
// running, and answers requests over IPC.
import { createManager, type ManagerOptions, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { settledMemory } from "../measure/process-usage.ts";
import { cooks } from "./objects.ts";
import { loadTracing, type TracingState } from "../peers/tracing-peer.ts";
import { type OperatorAnswers, type WatchState, watchStates } from "./start-operator.ts";

const [path, namespace, workers, state, watched] = process.argv.slice(2);
const tracing = await loadTracing(state as TracingState);
const entered = new Map<string, number>();
const seen = (name: string): void => {
  if (!entered.has(name)) entered.set(name, Number(process.hrtime.bigint()) / 1e6);
};
const client = createClient({
  access: await loadKubeconfig({ path: path! }),
  namespace: namespace!,
});
await client.request({ method: "GET", path: "/version" });
const before = settledMemory();
const manager = createManager({
  operator: "bench",
  controllers: [cooks({ workers: Number(workers), seen })],
  client,
  namespace: namespace!,
  log: silentLog,
  ...(tracing ? { tracing } : {}),
  ...watching(watched as WatchState),
});
const startedAt = performance.now();
await manager.start();
const syncMs = performance.now() - startedAt;

function watching(state: WatchState): Partial<ManagerOptions> {
  const level = watchStates.indexOf(state);
  if (level < 1) return {};
  return {
    metrics: { port: 0, host: "127.0.0.1", introspection: level > 1 },
    watchdog: level > 2,
  };
}

const answers: { readonly [Question in keyof OperatorAnswers]: () => OperatorAnswers[Question] } = {
  progress: () => ({ reconciled: entered.size, idle: manager.isIdle() }),
  entered: () => [...entered],
  memory: () => ({ syncMs, heldBytes: settledMemory() - before }),
};
process.on("message", (question: keyof OperatorAnswers) => process.send!(answers[question]()));
process.on("disconnect", () => process.exit());
process.send!("started");
