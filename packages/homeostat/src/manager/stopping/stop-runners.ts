// Stops controllers: none begins a reconcile any more, and those under way end by the deadline or
// are cut. What was cut is logged.
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import { nameRunning } from "../log/log-awaited.ts";
import type { ManagerState } from "../manager-state.ts";

/** Longer than any deadline: only that of the stop counts. */
const never = 2 ** 31 - 1;

/** Resolves when none runs any more, or the deadline has passed. */
export async function stopRunners(
  state: Pick<ManagerState, "runners" | "deadline" | "log" | "options" | "runtime">,
): Promise<void> {
  const { runners, deadline, log, options, runtime } = state;
  const cut = (): void => {
    const named = nameRunning(runners, runtime);
    if (named !== undefined)
      log.warn(`stopping ${options.operator}: time is over, cut ${named.many}: ${named.names}`);
    for (const runner of runners) void runner.stop(0);
  };
  deadline.passed.addEventListener("abort", cut, { once: true });
  if (deadline.passed.aborted) cut();
  await Promise.all(runners.map((runner: ControllerRunner) => runner.stop(never)));
  deadline.passed.removeEventListener("abort", cut);
}
