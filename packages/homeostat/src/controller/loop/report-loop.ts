// Says which object is in a loop: in the log, with the fields and, when another writer undoes what
// this controller writes, with both managers. Pure.
import type { Loop } from "./history.ts";

/** Describes a loop of a controller whose field manager is `manager`. */
export function describeLoop(loop: Loop, manager: string): string {
  const wrote = loop.wrote.join(", ") || "nothing";
  if (loop.by === "itself")
    return `${loop.runs} consecutive reconciles were triggered only by themselves, writing ${wrote}; write only values that stay the same from run to run, and retry only after a delay`;
  if (loop.by === "retries")
    return `${loop.runs} times in a row it asked for a retry within less than half a second, writing ${wrote}; retry after a longer delay, or wait for what the controller watches`;
  if (loop.by === "others")
    return `${loop.runs} times its own writes came back to it through ${loop.through!.join(", ")}, writing ${wrote}; let one of them own each value, and write only values that stay the same from run to run`;
  return `${loop.runs} consecutive reconciles wrote ${wrote}${describeFight(loop, manager)}`;
}

function describeFight({ rival }: Loop, manager: string): string {
  const fields = rival?.fields.length ? ` (${rival.fields.join(", ")})` : "";
  if (rival?.isNamesake)
    return `${fields}, because another process writes with the same field manager "${manager}" and changes each time what this one has written; stop one of the two, or give each an operator name of its own`;
  const who = rival?.managers.map((one) => `"${one}"`).join(" and ") || "another client";
  return `${fields}, because ${who} changes each time what "${manager}" has written; let one of them own it`;
}
