// Keys from outside the cluster: a controller's own async iterables, such as the events of a cloud.
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeValue } from "../util/describe-error.ts";
import type { ReconcileLog } from "./define-controller.ts";
import type { ExternalSource } from "./external-source.ts";
import { followSource } from "./follow-source.ts";
import type { WarnOnce } from "./warn-once.ts";

/** What external sources need. */
export interface ExternalSourcesOptions {
  readonly clock: Clock;
  readonly queue: Pick<WorkQueue, "add">;
  readonly log: ReconcileLog;
  readonly warnings: WarnOnce;
  readonly controller: string;
  /** Of the objects whose keys the sources yield. */
  readonly kind: Kind;
  /** The cluster whose objects are meant. */
  readonly cluster: string;
}

/** Follows the sources until `stop()`. */
export function followSources(
  sources: Readonly<Record<string, ExternalSource>>,
  options: ExternalSourcesOptions,
): { stop(): void } {
  const stopping = new AbortController();
  const { queue, controller, kind, cluster } = options;
  for (const [name, source] of Object.entries(sources)) {
    const title = `external source ${name}`;
    const cause = { what: title, source: `external ${name}` };
    void followSource<string | ObjectKey>({
      ...options,
      title,
      fields: { controller },
      signal: stopping.signal,
      open: (signal) => source(signal, cluster),
      receive(yielded) {
        const key = keyFrom(yielded, kind);
        if (key === undefined) warnOfKey(options, title, yielded);
        else queue.add(key, { cause });
      },
    });
  }
  return { stop: () => stopping.abort(new Error("the controller stops")) };
}

/** The key of an object of this kind; undefined for all other values. */
function keyFrom(yielded: unknown, { scope }: Kind): string | undefined {
  const key = textOf(yielded);
  const parts = key?.split("/") ?? [];
  const isKey = parts.length === (scope === "Cluster" ? 1 : 2) && !parts.includes("");
  return isKey ? key : undefined;
}

function textOf(yielded: unknown): string | undefined {
  if (typeof yielded === "string") return yielded;
  const { namespace, name } = (yielded ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") return undefined;
  if (namespace !== undefined && typeof namespace !== "string") return undefined;
  return formatObjectKey({ namespace, name });
}

function warnOfKey(
  { warnings, controller, kind }: ExternalSourcesOptions,
  title: string,
  yielded: unknown,
): void {
  const isCluster = kind.scope === "Cluster";
  warnings.warn(title, "key", {
    message: `${title} of "${controller}" yielded ${describeValue(yielded)}, which is not the key of a ${kind.kind}; such values reconcile nothing`,
    controller,
    hint: isCluster
      ? "yield the name, or { name }"
      : "yield `namespace/name`, or { namespace, name }",
  });
}
