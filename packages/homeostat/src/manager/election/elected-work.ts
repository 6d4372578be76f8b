// The controllers that work during a term only: started when it begins, stopped at once when it is
// lost. A manager that stands by again creates new ones, with empty queues, once all reconciles of
// the old ones have ended: no object is ever reconciled by two at once.
import type { DeclaredRunner } from "../start-controllers.ts";
import { createRunner } from "../create-runner.ts";
import type { ManagerState } from "../manager-state.ts";
import { sleep } from "../../runtime/sleep.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { needsElection } from "./needs-election.ts";

const lookEveryMs = 50;

/** Makes the runners of these controllers for the next term. */
export function createElected(state: ManagerState): readonly DeclaredRunner[] {
  const made = state.definitions
    .filter(needsElection)
    .map((definition) => ({ definition, runner: createRunner(state, definition) }));
  state.elected = made;
  state.runners = [...state.runners, ...made.map(({ runner }) => runner)];
  return made;
}

/** The term has begun. */
export function beginTerm(state: ManagerState): void {
  if (state.stopping.signal.aborted) return;
  if (state.elected.length === 0) addElected(state);
  state.starting!.release();
  state.sayStarted();
}

/** The term was lost: nothing can be written any more. */
export function endTerm(state: ManagerState, why: string): void {
  const { leadership, elected, log, options } = state;
  const lost = new HomeostatError(
    "ERR_ELECTION_LOST",
    `${options.operator} lost the Lease ${leadership!.lease}: ${why}`,
    {
      hint: "check the server's latency and this process's load; `election` or `sharding` has the timings",
    },
  );
  log.error(`lost the Lease ${leadership!.lease}: ${why}`);
  state.starting?.drop(elected);
  const stopped = Promise.all(elected.map(({ runner }) => runner.stop(0)));
  if (state.stopping.signal.aborted) return;
  if (standsAgain(state)) void stopped.then(() => standAgain(state, lost));
  else state.end(lost);
}

const standsAgain = ({ options: { cluster, election, sharding } }: ManagerState): boolean =>
  cluster !== undefined || election?.whenLost === "standBy" || sharding?.whenLost === "rejoin";

async function standAgain(state: ManagerState, lost: HomeostatError): Promise<void> {
  const { elected, stopping, leadership, log } = state;
  if (!(await isAtRest(state))) {
    log.error(`${state.options.operator} does not stand by again: a reconcile has not ended`);
    return state.end(lost);
  }
  if (stopping.signal.aborted) return;
  for (const { runner } of elected) {
    state.runners = state.runners.filter((one) => one !== runner);
    void state.recorders.get(runner)?.close();
    state.recorders.delete(runner);
  }
  leadership!.next();
  state.elected = [];
  if (!isCold(state)) addElected(state);
  leadership!.stand();
}

/** True for a standby that watches nothing. */
export const isCold = ({ leadership, options: { election } }: ManagerState): boolean =>
  leadership !== undefined && election?.standby === "cold";

function addElected(state: ManagerState): void {
  // It rejects only when it is stopped meanwhile.
  state.starting!.add(createElected(state)).then(state.sayStarted, () => {});
}

/** Waits for the reconciles that were abandoned; false when they do not end in time. */
async function isAtRest({ elected, options, runtime, stopping }: ManagerState): Promise<boolean> {
  const { clock } = runtime;
  const until = clock.monotonic() + (options.shutdownTimeoutMs ?? defaultDrainMs);
  const isBusy = (): boolean => elected.some(({ runner }) => runner.processing() > 0);
  while (isBusy() && !stopping.signal.aborted) {
    if (options.cluster === undefined && clock.monotonic() >= until) return false;
    await sleep(clock, lookEveryMs, stopping.signal);
  }
  return true;
}

/** Time for running reconciles at shutdown, as controller-runtime (pkg/manager/internal.go). */
export const defaultDrainMs = 30_000;
