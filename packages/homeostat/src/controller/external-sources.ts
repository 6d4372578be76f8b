// Keys from outside the cluster: a controller's own async iterables, such as the events of a cloud.
import { formatObjectKey } from "../api/gvk.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ReconcileLog } from "./define-controller.ts";
import type { ExternalSource } from "./external-source.ts";
import { followSource } from "./follow-source.ts";

/** What external sources need. */
export interface ExternalSourcesOptions {
  readonly clock: Clock;
  readonly queue: Pick<WorkQueue, "add">;
  readonly log: ReconcileLog;
  readonly controller: string;
  /** The cluster whose objects are meant. */
  readonly cluster: string;
}

/** Follows the sources until `stop()`. */
export function followSources(
  sources: Readonly<Record<string, ExternalSource>>,
  options: ExternalSourcesOptions,
): { stop(): void } {
  const stopping = new AbortController();
  const { queue, controller, cluster } = options;
  for (const [name, source] of Object.entries(sources)) {
    const cause = { what: `external source ${name}`, source: `external ${name}` };
    void followSource<string | ObjectKey>({
      ...options,
      title: `external source ${name}`,
      fields: { controller },
      signal: stopping.signal,
      open: (signal) => source(signal, cluster),
      receive: (key) => queue.add(typeof key === "string" ? key : formatObjectKey(key), { cause }),
    });
  }
  return { stop: () => stopping.abort(new Error("the controller stops")) };
}
