// Says in one line what a controller does with an object. Pure.
import type { ObjectState } from "homeostat";

/** One line, e.g. `  Box default/a (box): it waits for Lid "b"`. */
export function describeState(state: ObjectState, nowMs: number): string {
  const { kind, key, controller } = state;
  return `  ${kind} ${key} (${controller}): ${describeLoop(state)}${describeProgress(state, nowMs)}`;
}

function describeLoop({ loop, undoneBy }: ObjectState): string {
  if (!loop) return "";
  const { managers = [], fields = [] } = undoneBy ?? {};
  const what = fields.length > 0 ? ` ${fields.join(", ")}` : "";
  const who = managers.map((one) => `"${one}"`).join(" and ");
  const undone = undoneBy ? `, of which ${who || "another client"} changes back${what}` : "";
  return `it keeps triggering itself, writing ${loop.join(", ") || "nothing"} each time${undone}; `;
}

function describeProgress({ progress, since }: ObjectState, nowMs: number): string {
  switch (progress.at) {
    case "done":
      return "it is done";
    case "running":
      return `it has been running for ${formatMs(nowMs - since)}${progress.step === undefined ? "" : `, in step "${progress.step}"`}`;
    case "waiting":
      return `it waits for ${progress.what}`;
    case "stalled":
      return `it is stalled: ${progress.because}${hintOf(progress)}`;
    case "retrying": {
      const next = `the next try is in ${formatMs(progress.nextAt - nowMs)}`;
      const { failures, because } = progress;
      if (failures === 0) return `it retries: ${because}${hintOf(progress)}; ${next}`;
      return `it failed ${timesOf(failures)}: ${because}${hintOf(progress)}; ${next}`;
    }
  }
}

/** "once" or "3 times". */
export const timesOf = (count: number): string => (count === 1 ? "once" : `${count} times`);

const hintOf = ({ hint }: { readonly hint?: string }): string =>
  hint === undefined ? "" : ` (${hint})`;

function formatMs(ms: number): string {
  const rounded = Math.max(0, Math.round(ms));
  return rounded < 1000 ? `${rounded} ms` : `${Math.round(rounded / 100) / 10} s`;
}
