// What a runner keeps of an object ends with the object. A run may outlive it, and ends with a
// result that nothing will ever clear.
import type { RunnerState } from "./runner-state.ts";

/** Keeps nothing of an object that is gone. */
export function forget(
  {
    options,
    echoes,
    states,
    loops,
    loopWatch,
    turns,
    conflicts,
    voice,
    dynamicWatches,
  }: RunnerState,
  key: string,
): void {
  const { queue } = options;
  queue.forget(key);
  loopWatch.forget(key);
  voice.forget(key);
  dynamicWatches.forget(key);
  echoes.forget(key);
  states.delete(key);
  loops.forget(key);
  // A key in wait for its turn has no other time at which the queue lets go of it.
  if (turns.forget(key)) queue.add(key, { cause: { what: "its object is gone", source: "gone" } });
  conflicts.clear(key);
}
