// The span of one reconcile.
import { formatObjectKey } from "../../api/gvk.ts";
import { parseObjectKey } from "../../api/object-meta.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import { objectId } from "../../controller/echo/run-record.ts";
import type { RunResult } from "../../controller/run/run-observer.ts";
import type { RunTrace } from "../../controller/run/run-tracer.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import { describeError } from "../../util/describe-error.ts";
import {
  errorStatus,
  type OpenTelemetry,
  type Span,
  type SpanAttributes,
  type SpanContext,
  type SpanParent,
} from "./open-telemetry.ts";
import { mostListed, revisionsOf, type WrittenSpans } from "./written-spans.ts";

/** What a run is traced with. */
export interface RunSpan {
  readonly api: OpenTelemetry;
  readonly span: Span;
  readonly written: WrittenSpans;
  readonly item: QueueItem;
  readonly links: readonly SpanContext[] | undefined;
}

/** A run whose span records. */
export class TracedRun implements RunTrace {
  readonly parent: SpanParent;
  readonly #run: RunSpan;
  readonly #context: SpanContext;
  #wrote: string[] | undefined;

  constructor(run: RunSpan) {
    const { api, span } = run;
    this.#run = run;
    this.#context = span.spanContext();
    this.parent = api.trace.setSpan(api.context.active(), span);
  }

  run<T>(work: () => T): T {
    return this.#run.api.context.with(this.parent, work);
  }

  wrote(write: CompletedWrite): void {
    const resourceVersion = writtenRevision(write);
    if (resourceVersion === undefined) return;
    const object = objectId(write.kind, formatObjectKey(write.key));
    this.#run.written.wrote(object, resourceVersion, this.#context);
    this.#wrote ??= [];
    if (this.#wrote.length < mostListed) this.#wrote.push(`${object}@${resourceVersion}`);
  }

  ended(result: RunResult, error: unknown): void {
    const { span, item } = this.#run;
    this.#linkLate();
    span.setAttributes(attributesOf(item, result, this.#wrote));
    if (result === "error" || result === "terminal" || result === "timeout")
      span.setStatus({
        code: errorStatus,
        message: error === undefined ? result : describeError(error),
      });
    span.end();
  }

  /** A change may arrive, and wake a run, before the answer to its write. */
  #linkLate(): void {
    const { span, item, written, links } = this.#run;
    for (const context of written.of(item.causes) ?? []) {
      const isLinked = links?.some(({ spanId }) => spanId === context.spanId) === true;
      if (!isLinked && context.spanId !== this.#context.spanId) span.addLink?.({ context });
    }
  }
}

/** A run whose span records nothing: spans of other code must still find whose they are. */
export class UnrecordedRun implements RunTrace {
  readonly #api: OpenTelemetry;
  readonly #span: Span;

  constructor(api: OpenTelemetry, span: Span) {
    this.#api = api;
    this.#span = span;
  }

  run<T>(work: () => T): T {
    const { context, trace } = this.#api;
    return context.with(trace.setSpan(context.active(), this.#span), work);
  }

  wrote(): void {}

  ended(): void {
    this.#span.end();
  }
}

function attributesOf(
  { key, causes, failures }: QueueItem,
  result: RunResult,
  wrote: string[] | undefined,
): SpanAttributes {
  const { namespace, name } = parseObjectKey(key);
  const attributes: Record<string, string | number | string[]> = {
    "homeostat.object.name": name,
    "homeostat.attempt": failures + 1,
    "homeostat.result": result,
  };
  if (namespace !== undefined) attributes["k8s.namespace.name"] = namespace;
  const woken = revisionsOf(causes);
  if (woken.length > 0) attributes["homeostat.woken_by"] = woken;
  if (wrote) attributes["homeostat.wrote"] = wrote;
  return attributes;
}
