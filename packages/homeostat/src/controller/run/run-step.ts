// step(): a named piece of work under a deadline of its own.
import { parseDuration } from "../../api/duration.ts";
import { describeError } from "../../util/describe-error.ts";
import { checkArgument, checkOptions } from "../../util/call-options.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Clock } from "../../runtime/clock.ts";
import { withDeadline } from "../deadline.ts";
import type { RunScope } from "./run-scope.ts";

/** A step of a run. */
export interface Step<T> {
  readonly name: string;
  readonly work: (signal: AbortSignal) => Promise<T>;
  readonly timeout: string | number | undefined;
}

/** @throws ERR_ARGUMENT */
export function checkStep(name: unknown, work: unknown, options: unknown): void {
  checkArgument("step(…)", ["its name", name], "a string");
  const call = `step("${name as string}", …)`;
  checkArgument(call, ["its second argument", work], "a function");
  checkOptions(call, options, { timeout: 'a duration such as "30s"' });
}

/** Parameters of a step that are the same for all steps of a run. */
export interface StepDependencies {
  readonly clock: Clock;
  readonly scope: RunScope;
  /** Called with the name when the step begins, and with undefined when it ends. */
  stepping(name: string | undefined): void;
}

/**
 * Runs a step. Work that exceeds its deadline is held by the run until it settles. @throws ERR_STEP
 */
export async function runStep<T>(
  { clock, scope, stepping }: StepDependencies,
  { name, work, timeout }: Step<T>,
): Promise<T> {
  stepping(name);
  const began = clock.monotonic();
  const finish = await withDeadline(
    clock,
    { timeoutMs: timeout === undefined ? undefined : parseDuration(timeout) },
    scope.signal,
    (signal) => scope.hold(`step("${name}")`, invoke(work, signal)),
  );
  if (!scope.hasEnded) stepping(undefined);
  const tookMs = clock.monotonic() - began;
  scope.attempt?.stepped(name, { tookMs, hasFailed: finish.at !== "settled" });
  if (finish.at === "settled") return finish.value;
  const problem =
    finish.at === "abandoned" ? describeLate(timeout) : `failed: ${describeError(finish.error)}`;
  throw new HomeostatError("ERR_STEP", `step "${name}" of ${scope.title} ${problem}`, {
    hint: "see the cause; the reconcile is retried",
    cause: finish.at === "failed" ? finish.error : undefined,
  });
}

async function invoke<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return work(signal);
}

function describeLate(timeout: string | number | undefined): string {
  if (timeout === undefined) return "did not stop when its signal aborted";
  return `took longer than ${typeof timeout === "number" ? `${timeout} ms` : timeout}`;
}
