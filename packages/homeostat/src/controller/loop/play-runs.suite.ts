// Runs of one key for tests of the loop detector: causes and writes without a server.
import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { CompletedWrite } from "../../client/client.ts";
import type { RecordedCause } from "../../queue/workqueue.ts";
import type { LoopDetector } from "./loop-detector.ts";

/** Kinds and the field manager of the runs. */
export const box = { apiVersion: "x/v1", kind: "Box" } as Kind;
export const part = { apiVersion: "x/v1", kind: "Part" } as Kind;
export const manager = "laws/box";

/** A write whose response carries `of` in a field of this manager. */
export function wrote(
  kind: Kind,
  name: string,
  revision: string | number,
  of: number,
): CompletedWrite {
  const fieldsV1 = { "f:spec": { "f:of": {} } };
  const managedFields = [{ manager, operation: "Apply", fieldsV1 }];
  const metadata = { name, resourceVersion: String(revision), managedFields };
  return { kind, key: { name }, object: { metadata, spec: { of, other: revision } } as JsonObject };
}
/** A deletion. */
export const deleted = (kind: Kind, name: string): CompletedWrite => ({
  kind,
  key: { name },
  object: undefined,
});
/** The cause of a change. */
export const changed = (kind: Kind, name: string, revision: string | number): RecordedCause => ({
  what: `${kind.kind} changed`,
  source: "itself",
  object: `x/v1/${kind.kind} ${name}`,
  resourceVersion: String(revision),
  at: 0,
  times: 1,
});
/** The cause of a retry. */
export const again: RecordedCause = { what: "retry", source: "retry", at: 0, times: 1 };

type Returned = { readonly visits: number; readonly through: readonly string[] };
/** A run without its time. */
export interface Played {
  readonly returned?: Returned;
  readonly causes: readonly RecordedCause[];
  readonly writes: readonly CompletedWrite[];
  readonly retryAfterMs?: number;
}

/** Plays runs until a loop is found; returns it with the number of the run. */
export function play(
  detector: LoopDetector,
  most: number,
  run: (i: number) => Played,
  everyMs = 1,
) {
  for (let i = 1; i <= most; i++) {
    const loop = detector.record("a", { ...run(i), at: i * everyMs });
    if (loop) return { loop, at: i };
  }
  return undefined;
}

/** Another writer changes the part after each run, which repeats its write. */
export const fights = (i: number): Played => ({
  causes: [changed(part, "p", `theirs ${i}`)],
  writes: [wrote(part, "p", `ours ${i}`, 1)],
});
