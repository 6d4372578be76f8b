// Which parts of a manager have changed since they were looked at last. Figures that change all the
// time, such as the last contact of an informer, are no change.
import type { ClusterInspection } from "../cluster-inspection.ts";
import { listElections, listInformers, listRings } from "../report-parts.ts";
import { type EventName, StreamEvent } from "./stream-event.ts";

type Part = Readonly<Record<string, unknown>>;

const parts: readonly {
  readonly name: EventName;
  readonly list: (clusters: readonly ClusterInspection[]) => readonly object[];
  /** What tells one from another. */
  readonly of: readonly string[];
  /** What counts as a change. */
  readonly changes: readonly string[];
}[] = [
  {
    name: "informer",
    list: listInformers,
    of: ["cluster", "apiVersion", "kind", "namespace", "labelSelector", "fieldSelector", "fields"],
    changes: ["ready", "phase", "synced", "relists", "restarts", "lastError"],
  },
  {
    name: "election",
    list: listElections,
    of: ["cluster", "lease"],
    changes: ["role", "holder", "transitions", "lastError"],
  },
  {
    name: "ring",
    list: listRings,
    of: ["cluster", "lease", "ring"],
    changes: ["role", "members", "slots", "draining", "lastError"],
  },
];

export class PartChanges {
  #before: ReadonlyMap<string, string> | undefined;

  /** The parts that have changed; none the first time. */
  look(clusters: readonly ClusterInspection[]): readonly StreamEvent[] {
    const now = new Map<string, string>();
    const events: StreamEvent[] = [];
    for (const { name, list, of, changes } of parts)
      for (const part of list(clusters) as readonly Part[]) {
        const id = JSON.stringify([name, ...of.map((field) => part[field])]);
        const value = JSON.stringify(changes.map((field) => part[field]));
        now.set(id, value);
        if (this.#before && this.#before.get(id) !== value)
          events.push(new StreamEvent(name, undefined, () => part));
      }
    this.#before = now;
    return events;
  }

  /** Forgets what was seen. */
  reset(): void {
    this.#before = undefined;
  }
}
