// Which span has written which revision, so that a run which that revision has woken can be linked
// to it: no annotation carries it.
import type { RecordedCause } from "../../queue/workqueue.ts";
import type { SpanContext } from "./open-telemetry.ts";

/** Revisions whose span is remembered. */
const kept = 4000;
/** Most links of one span. */
const mostLinks = 16;

export class WrittenSpans {
  readonly #spans = new Map<string, SpanContext>();

  /** Remembers who has written a revision, e.g. `v1/ConfigMap kitchen/menu@17`. */
  wrote(revision: string, context: SpanContext): void {
    this.#spans.delete(revision);
    this.#spans.set(revision, context);
    if (this.#spans.size > kept) this.#spans.delete(this.#spans.keys().next().value!);
  }

  /** The spans that have written what woke a run, each once. */
  of(causes: readonly RecordedCause[], place: string): readonly SpanContext[] {
    const found = new Map<string, SpanContext>();
    for (const revision of revisionsOf(causes)) {
      const context = this.#spans.get(place + revision);
      if (context) found.set(context.spanId, context);
      if (found.size === mostLinks) break;
    }
    return [...found.values()];
  }
}

/** The revisions that causes stand for. */
export const revisionsOf = (causes: readonly RecordedCause[]): readonly string[] =>
  causes.flatMap(({ object, resourceVersion, earlier = [] }) =>
    object === undefined || resourceVersion === undefined
      ? []
      : [...earlier, resourceVersion].map((revision) => `${object}@${revision}`),
  );
