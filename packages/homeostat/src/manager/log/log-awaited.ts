// Logs what a shutdown waits for, every few seconds, and what has not returned long after it.
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Progress } from "../../controller/object-state.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** When it is logged, and how many objects one line names. */
const limits = { firstMs: 1000, everyMs: 5000, leftMs: 10_000, objects: 5 };

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
    const named = nameRunning(runners, runtime);
    if (named !== undefined) log.info(`stopping: waiting for ${named.many} to end: ${named.names}`);
    timer = runtime.clock.timer(limits.everyMs, say);
  };
  timer = runtime.clock.timer(limits.firstMs, say);
  return { stop: () => timer.cancel() };
}

/** e.g. `2 reconciles`, and `Box a/b (3 s, in step "x"), …`; undefined when none runs. */
export function nameRunning(
  runners: Awaited["runners"],
  { clock }: Awaited["runtime"],
): { readonly many: string; readonly names: string } | undefined {
  const running = runners.flatMap((runner) =>
    runner.states().filter(({ key }) => isProcessing(runner, key)),
  );
  if (running.length === 0) return undefined;
  const named = running.slice(0, limits.objects).map(({ kind, key, progress, since }) => {
    const step = progress.at === "running" && progress.step ? `, in step "${progress.step}"` : "";
    return `${kind} ${key} (${Math.round((clock.now() - since) / 1000)} s${step})`;
  });
  const others = running.length - named.length;
  const many = running.length === 1 ? "a reconcile" : `${running.length} reconciles`;
  return { many, names: `${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}` };
}

/**
 * Logs, some time after the shutdown, the reconciles that were abandoned and have not returned:
 * what they wait for may keep the process alive. The timer does not.
 */
export function logLeft(operator: string, { log, runtime, runners }: Awaited): void {
  const left = (): readonly string[] =>
    runners.flatMap((runner) =>
      runner
        .states()
        .filter(({ key }) => isProcessing(runner, key))
        .map(({ kind, key, progress }) => `${kind} ${key}${describeStep(progress)}`),
    );
  if (left().length === 0) return;
  runtime.clock.timer(limits.leftMs, () => {
    const names = left();
    if (names.length === 0) return;
    const named = names.slice(0, limits.objects);
    if (names.length > named.length) named.push(`${names.length - named.length} more`);
    const [subject, verb, them] =
      names.length === 1
        ? ["a reconcile", "has not returned", "it waits"]
        : ["reconciles", "have not returned", "they wait"];
    log.warn(
      `the process still runs ${limits.leftMs / 1000} s after ${operator} stopped: ${subject} of ${joinNames(named)} ${verb}; pass the context's signal on to what ${them} for`,
    );
  });
}

/** `a, b and c`. */
const joinNames = (names: readonly string[]): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((one) => one !== "").join(" and ");

/** The reason of a run that was abandoned, or of a step that outlives its run, names the step. */
function describeStep(progress: Progress): string {
  if (progress.at === "running") return progress.step ? ` (in step "${progress.step}")` : "";
  const because = progress.at === "stalled" ? progress.because : "";
  const step = /\bstep[ (]("[^"]*")/.exec(because)?.[1];
  return step === undefined ? "" : ` (in step ${step})`;
}

/** Stalled alone says less: a terminal error stalls an object, and nothing runs. */
const isProcessing = (runner: ControllerRunner, key: string): boolean =>
  runner.explain(key).queue?.state.startsWith("processing") === true;
