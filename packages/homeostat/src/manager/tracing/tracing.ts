// Spans of a manager: one for each reconcile, below it one for each request that it sends, and one
// for each review of a webhook. A reconcile is linked to those that wrote what woke it: links, no
// parents, because a reconcile has many triggers and may come long after them.
// Upstream: github.com/kubernetes/enhancements KEP-5915 (links),
// opentelemetry.io/docs/specs/semconv (names of attributes).
import { formatObjectKey } from "../../api/gvk.ts";
import { parseObjectKey } from "../../api/object-meta.ts";
import type { ApiRequest, CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import { currentWork } from "../../client/write-context.ts";
import { revisionId } from "../../controller/echo/run-record.ts";
import type { RunResult } from "../../controller/run/run-observer.ts";
import type { RunTrace, RunTracer } from "../../controller/run/run-tracer.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import type { Clock } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import {
  errorStatus,
  type OpenTelemetry,
  type Span,
  spanKinds,
  type SpanParent,
  type Tracer,
} from "./open-telemetry.ts";
import { loadApi } from "./load-api.ts";
import { nameRequest } from "./name-request.ts";
import type { TracingOptions } from "./tracing-options.ts";
import { revisionsOf, WrittenSpans } from "./written-spans.ts";

/** Most entries of an attribute that is a list. */
const mostListed = 16;

/** Whose runs are traced. */
interface TracedController {
  readonly name: string;
  readonly kind: string;
  readonly cluster: string | undefined;
}

/** The spans of one manager. */
export class Tracing {
  readonly #options: TracingOptions;
  readonly #clock: Clock;
  readonly #written = new WrittenSpans();
  #api: OpenTelemetry | undefined;
  #tracer: Tracer | undefined;

  constructor(options: TracingOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Loads the API. @throws ERR_TRACING_API when it is not installed */
  async open(): Promise<void> {
    const { api, tracer } = this.#options;
    this.#api = api ?? (await loadApi());
    this.#tracer = tracer ?? this.#api.trace.getTracer("homeostat");
  }

  /** Traces the runs of a controller, once open. */
  controller(of: TracedController): RunTracer {
    return { begin: (item) => this.#begin(of, item) };
  }

  /** An attempt of a request has ended: a span of the work that sent it. Watches have none. */
  readonly answered = (request: ApiRequest, code: number, durationMs: number): void => {
    const parent = this.#parentOfWork();
    if (!parent || request.query?.["watch"] !== undefined) return;
    const { method, path } = request;
    const end = this.#clock.now();
    const span = this.#tracer!.startSpan(
      nameRequest(request),
      {
        kind: spanKinds.client,
        startTime: end - durationMs,
        attributes: {
          "http.request.method": method,
          "url.path": path,
          ...(code === 0 ? {} : { "http.response.status_code": code }),
        },
      },
      parent,
    );
    if (code === 0 || code >= 400)
      span.setStatus({ code: errorStatus, message: code === 0 ? "no answer" : `${code}` });
    span.end(end);
  };

  /** Answers a review within a span. */
  readonly review = <T extends { readonly status: number }>(
    path: string,
    answer: () => T | Promise<T>,
  ): T | Promise<T> => {
    const { context, trace } = this.#api!;
    const span = this.#tracer!.startSpan(`review ${path}`, {
      kind: spanKinds.server,
      attributes: { "http.request.method": "POST", "http.route": path },
    });
    const end = (status: number): void => {
      span.setAttribute("http.response.status_code", status);
      if (status >= 500) span.setStatus({ code: errorStatus });
      span.end();
    };
    const work = async (): Promise<T> => {
      try {
        const answered = await answer();
        end(answered.status);
        return answered;
      } catch (error) {
        end(500);
        throw error;
      }
    };
    return context.with(trace.setSpan(context.active(), span), work);
  };

  #begin(of: TracedController, item: QueueItem): RunTrace {
    const { name, kind, cluster } = of;
    const { key, causes, failures } = item;
    const { namespace, name: object } = parseObjectKey(key);
    const place = cluster === undefined ? "" : `${cluster} `;
    const links = this.#written.of(causes, place);
    const span = this.#tracer!.startSpan(`reconcile ${name}`, {
      kind: spanKinds.consumer,
      root: true,
      links: links.map((context) => ({ context })),
      attributes: {
        "homeostat.controller": name,
        "homeostat.object.kind": kind,
        "homeostat.object.name": object,
        "homeostat.attempt": failures + 1,
        ...(namespace === undefined ? {} : { "k8s.namespace.name": namespace }),
        ...(cluster === undefined ? {} : { "k8s.cluster.name": cluster }),
      },
    });
    const linked = new Set(links.map(({ spanId }) => spanId));
    return new TracedRun(this.#api!, span, {
      written: this.#written,
      place,
      item,
      linked,
    });
  }

  /** The run of the code that asks, or the span that is active there; undefined outside of both. */
  #parentOfWork(): SpanParent | undefined {
    if (!this.#api) return undefined;
    const own = currentWork.getStore()?.trace;
    if (own instanceof TracedRun) return own.parent;
    const active = this.#api.context.active();
    return this.#api.trace.getSpan(active) ? active : undefined;
  }
}

interface Woken {
  readonly written: WrittenSpans;
  /** Before each revision: those of two clusters may be alike. */
  readonly place: string;
  readonly item: QueueItem;
  readonly linked: ReadonlySet<string>;
}

/** One run. */
class TracedRun implements RunTrace {
  readonly parent: SpanParent;
  readonly #api: OpenTelemetry;
  readonly #span: Span;
  readonly #woken: Woken;
  readonly #wrote: string[] = [];

  constructor(api: OpenTelemetry, span: Span, woken: Woken) {
    this.#api = api;
    this.#span = span;
    this.#woken = woken;
    this.parent = api.trace.setSpan(api.context.active(), span);
  }

  run<T>(work: () => T): T {
    return this.#api.context.with(this.parent, work);
  }

  wrote(write: CompletedWrite): void {
    const resourceVersion = writtenRevision(write);
    if (resourceVersion === undefined) return;
    const { written, place } = this.#woken;
    const revision = revisionId(write.kind, formatObjectKey(write.key), resourceVersion);
    written.wrote(place + revision, this.#span.spanContext());
    if (this.#wrote.length < mostListed) this.#wrote.push(revision);
  }

  ended(result: RunResult, error: unknown): void {
    const span = this.#span;
    const { item, written, place, linked } = this.#woken;
    if (span.isRecording()) {
      // A change may arrive before the answer to its write.
      for (const context of written.of(item.causes, place))
        if (!linked.has(context.spanId) && context.spanId !== span.spanContext().spanId)
          span.addLink?.({ context });
      span.setAttribute("homeostat.result", result);
      const woken = revisionsOf(item.causes).slice(0, mostListed);
      if (woken.length > 0) span.setAttribute("homeostat.woken_by", woken);
      if (this.#wrote.length > 0) span.setAttribute("homeostat.wrote", this.#wrote);
      if (result === "error" || result === "terminal" || result === "timeout")
        span.setStatus({
          code: errorStatus,
          message: error === undefined ? result : describeError(error),
        });
    }
    span.end();
  }
}
