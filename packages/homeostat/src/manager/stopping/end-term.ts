// The end of the last term at a stop: the Lease is given up, so that another replica works at once,
// only when no reconcile of this one runs any more. Otherwise it expires by itself: no object is
// ever reconciled by two at once.
import { sleep } from "../../runtime/sleep.ts";
import { nameRunning } from "../log/log-awaited.ts";
import type { ManagerState } from "../manager-state.ts";

/** What was cut has so long to heed its signal. */
const heedMs = 500;
const lookEveryMs = 20;

/** Gives the Lease up, or says why it is left to expire. */
export async function resignTerm(state: ManagerState): Promise<void> {
  const { leadership, deadline } = state;
  if (!leadership) return;
  await heeded(state);
  const isBusy = runs(state);
  if (isBusy) sayKept(state);
  await leadership.resign({ isBusy, over: deadline.over });
}

const runs = ({ elected }: ManagerState): boolean =>
  elected.some(({ runner }) => runner.processing() > 0);

/** Resolves when the reconciles that were cut have ended, or do not end soon. */
async function heeded(state: ManagerState): Promise<void> {
  const { clock } = state.runtime;
  const until = clock.monotonic() + heedMs;
  while (runs(state) && clock.monotonic() < until)
    await sleep(clock, lookEveryMs, state.deadline.over);
}

function sayKept({ leadership, elected, runtime, log }: ManagerState): void {
  if (!leadership!.isLeading) return;
  const runners = elected.map(({ runner }) => runner);
  const { many, names } = nameRunning(runners, runtime) ?? { many: "a reconcile", names: "" };
  log.warn(
    `the Lease ${leadership!.lease} is not released and expires, because of ${many} that may still run: ${names}`,
  );
}
