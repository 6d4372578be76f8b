// Logs what a shutdown waits for, every few seconds.
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** When it is logged, and how many objects one line names. */
const limits = { firstMs: 1000, everyMs: 5000, objects: 5 };

/** What a shutdown waits for. */
export interface Awaited {
  readonly log: ReconcileLog;
  readonly runtime: Runtime;
  readonly runners: readonly ControllerRunner[];
}

/** Logs it until `stop`. */
export function logAwaited({ log, runtime, runners }: Awaited): { stop(): void } {
  let timer: Timer;
  const say = (): void => {
    const running = runners.flatMap((runner) =>
      runner.states().filter(({ key }) => isProcessing(runner, key)),
    );
    const named = running.slice(0, limits.objects).map(({ kind, key, progress, since }) => {
      const step = progress.at === "running" && progress.step ? `, in step "${progress.step}"` : "";
      return `${kind} ${key} (${Math.round((runtime.clock.now() - since) / 1000)} s${step})`;
    });
    const others = running.length - named.length;
    if (running.length > 0)
      log.info(
        `stopping: waiting for ${running.length === 1 ? "a reconcile" : `${running.length} reconciles`} to end: ${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}`,
      );
    timer = runtime.clock.timer(limits.everyMs, say);
  };
  timer = runtime.clock.timer(limits.firstMs, say);
  return { stop: () => timer.cancel() };
}

/** Stalled alone says less: a terminal error stalls an object, and nothing runs. */
const isProcessing = (runner: ControllerRunner, key: string): boolean =>
  runner.explain(key).queue?.state.startsWith("processing") === true;
