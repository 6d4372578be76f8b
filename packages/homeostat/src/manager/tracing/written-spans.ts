// Which span has written which revision, so that a run which that revision has woken can be linked
// to it: no annotation carries it.
import type { RecordedCause } from "../../queue/workqueue.ts";
import type { SpanContext } from "./open-telemetry.ts";

/** Revisions whose span is remembered, at least; at most twice as many. */
const kept = 4000;

/** Most entries of an attribute that is a list, and most links of one span. */
export const mostListed = 16;

interface Written {
  /** e.g. `v1/ConfigMap kitchen/menu` */
  readonly object: string;
  readonly context: SpanContext;
  /** Of another object at the same revision: two servers may answer for one cluster. */
  readonly other: Written | undefined;
}

/** The spans of one cluster. */
export class WrittenSpans {
  // By revision. Two generations, because a map that loses its oldest entry with each new one looks
  // for it behind all those that it has lost before.
  #young = new Map<string, Written>();
  #old = new Map<string, Written>();

  /** Remembers the span that has written a revision of an object. */
  wrote(object: string, resourceVersion: string, context: SpanContext): void {
    const other = without(this.#get(resourceVersion), object);
    this.#young.set(resourceVersion, { object, context, other });
    if (this.#young.size < kept) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** The spans that have written what woke a run, each once; undefined when there are none. */
  of(causes: readonly RecordedCause[]): SpanContext[] | undefined {
    let found: SpanContext[] | undefined;
    for (const { object, resourceVersion, earlier } of causes) {
      if (object === undefined || resourceVersion === undefined) continue;
      if (earlier) for (const revision of earlier) found = this.#add(found, object, revision);
      found = this.#add(found, object, resourceVersion);
    }
    return found;
  }

  #get(resourceVersion: string): Written | undefined {
    return this.#young.get(resourceVersion) ?? this.#old.get(resourceVersion);
  }

  #add(
    found: SpanContext[] | undefined,
    object: string,
    resourceVersion: string,
  ): SpanContext[] | undefined {
    let written = this.#get(resourceVersion);
    while (written && written.object !== object) written = written.other;
    if (!written) return found;
    const { context } = written;
    if (!found) return [context];
    const isKnown = found.some(({ spanId }) => spanId === context.spanId);
    if (found.length < mostListed && !isKnown) found.push(context);
    return found;
  }
}

/** A write that has changed nothing is answered with a revision that is known. */
function without(written: Written | undefined, object: string): Written | undefined {
  if (!written || written.object === object) return written?.other;
  return { ...written, other: without(written.other, object) };
}

/** The revisions that causes stand for, e.g. `v1/ConfigMap kitchen/menu@17`. */
export function revisionsOf(causes: readonly RecordedCause[]): string[] {
  const revisions: string[] = [];
  for (const { object, resourceVersion, earlier } of causes) {
    if (object === undefined || resourceVersion === undefined) continue;
    if (earlier) for (const revision of earlier) revisions.push(`${object}@${revision}`);
    revisions.push(`${object}@${resourceVersion}`);
    if (revisions.length >= mostListed) return revisions.slice(0, mostListed);
  }
  return revisions;
}
