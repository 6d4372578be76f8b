// Says which object is in a loop: in the log, with the fields and, when another writer undoes what
// this controller writes, with both managers, which only the server knows.
import { keyOf, type KubeObject } from "../../api/object-meta.ts";
import type { Client } from "../../client/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Loop } from "./history.ts";
import { differingFields, otherManagers, writtenFields } from "./written-fields.ts";

/** What a report needs. */
export interface LoopReporter {
  readonly client: Client;
  /** The controller's field manager. */
  readonly manager: string;
  readonly clock: Clock;
}

/** The object is slowed down meanwhile, so that mostly the other writer's state is seen. */
const betweenLooksMs = 50;
const looks = 20;

/** Describes a loop of a controller whose field manager is `manager`. May ask the server. */
export async function describeLoop(loop: Loop, reporter: LoopReporter): Promise<string> {
  const wrote = loop.wrote.join(", ") || "nothing";
  if (loop.by === "itself")
    return `${loop.runs} consecutive reconciles were triggered only by themselves, writing ${wrote}; write only values that stay the same from run to run, and retry only after a delay`;
  if (loop.by === "retries")
    return `${loop.runs} times in a row it asked for a retry within less than half a second, writing ${wrote}; retry after a longer delay, or wait for what the controller watches`;
  if (loop.by === "others")
    return `${loop.runs} times its own writes came back to it through ${loop.through!.join(", ")}, writing ${wrote}; let one of them own each value, and write only values that stay the same from run to run`;
  const { manager } = reporter;
  const rival = loop.undone && (await findRival(loop.undone, reporter));
  const fields = rival?.fields.length ? ` (${rival.fields.join(", ")})` : "";
  const who = rival?.managers.length
    ? rival.managers.map((one) => `"${one}"`).join(" and ")
    : "another client";
  return `${loop.runs} consecutive reconciles wrote ${wrote}${fields}, because ${who} changes each time what "${manager}" has written; let one of them own it`;
}

interface Rival {
  readonly fields: readonly string[];
  readonly managers: readonly string[];
}

/** Compares what this controller wrote with what the other one has made of it. */
async function findRival(
  { kind, object }: NonNullable<Loop["undone"]>,
  { client, manager, clock }: LoopReporter,
): Promise<Rival | undefined> {
  const ours = writtenFields(object, manager);
  let rival: Rival | undefined;
  for (let look = 0; look < looks && !rival?.fields.length; look++) {
    if (look > 0) await new Promise<void>((resolve) => clock.timer(betweenLooksMs, resolve));
    const theirs = (await client.find(kind, keyOf(object))) as KubeObject | undefined;
    if (!theirs) continue;
    const fields = differingFields(ours, writtenFields(object, manager, theirs));
    rival = { fields: fields.slice(0, 5), managers: otherManagers(theirs, manager, fields) };
  }
  return rival;
}
