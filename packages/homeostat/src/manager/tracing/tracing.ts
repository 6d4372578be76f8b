// Spans of a manager: one for each reconcile, below it one for each request that it sends, and one
// for each review of a webhook. A reconcile is linked to those that wrote what woke it: links, no
// parents, because a reconcile has many triggers and may come long after them. What a span holds is
// only made once it is known to record.
// Upstream: github.com/kubernetes/enhancements KEP-5915 (links),
// opentelemetry.io/docs/specs/semconv (names of attributes).
import type { ApiRequest } from "../../client/client.ts";
import { currentWork } from "../../client/write-context.ts";
import type { RunTrace, RunTracer } from "../../controller/run/run-tracer.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import type { Clock } from "../../runtime/clock.ts";
import {
  errorStatus,
  type OpenTelemetry,
  type Span,
  type SpanAttributes,
  spanKinds,
  type SpanParent,
  type Tracer,
} from "./open-telemetry.ts";
import { loadApi } from "./load-api.ts";
import { nameRequest } from "./name-request.ts";
import { TracedRun, UnrecordedRun } from "./traced-run.ts";
import type { TracingOptions } from "./tracing-options.ts";
import { WrittenSpans } from "./written-spans.ts";

/** Whose runs are traced. */
interface TracedController {
  readonly name: string;
  readonly kind: string;
  readonly cluster: string | undefined;
}

/** What the spans of a controller have in common. */
interface ControllerSpans {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly written: WrittenSpans;
}

/** The spans of one manager. */
export class Tracing {
  readonly #options: TracingOptions;
  readonly #clock: Clock;
  /** By cluster: revisions of two may be alike. */
  readonly #written = new Map<string | undefined, WrittenSpans>();
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
  controller({ name, kind, cluster }: TracedController): RunTracer {
    const spans: ControllerSpans = {
      name: `reconcile ${name}`,
      attributes: {
        "homeostat.controller": name,
        "homeostat.object.kind": kind,
        ...(cluster === undefined ? {} : { "k8s.cluster.name": cluster }),
      },
      written: this.#written.get(cluster) ?? new WrittenSpans(),
    };
    this.#written.set(cluster, spans.written);
    return { begin: (item) => this.#begin(spans, item) };
  }

  /** An attempt of a request has ended: a span of the run that sent it. Watches have none. */
  readonly answered = (request: ApiRequest, code: number, durationMs: number): void => {
    const run = currentWork.getStore()?.trace;
    if (!(run instanceof TracedRun) || request.query?.["watch"] !== undefined) return;
    const { method, path } = request;
    const end = this.#clock.now();
    const span = this.#tracer!.startSpan(
      nameRequest(request),
      {
        kind: spanKinds.client,
        startTime: end - durationMs,
        attributes:
          code === 0
            ? { "http.request.method": method, "url.path": path }
            : {
                "http.request.method": method,
                "url.path": path,
                "http.response.status_code": code,
              },
      },
      run.parent,
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
    const inSpan = (): SpanParent => trace.setSpan(context.active(), span);
    if (!span.isRecording()) return isNowhere(span) ? answer() : context.with(inSpan(), answer);
    const end = (status: number): void => {
      span.setAttributes({ "http.response.status_code": status });
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
    return context.with(inSpan(), work);
  };

  #begin({ name, attributes, written }: ControllerSpans, item: QueueItem): RunTrace | undefined {
    const api = this.#api!;
    const links = written.of(item.causes);
    const kind = spanKinds.consumer;
    const span = this.#tracer!.startSpan(
      name,
      links
        ? { kind, root: true, attributes, links: links.map((context) => ({ context })) }
        : { kind, root: true, attributes },
    );
    if (span.isRecording()) return new TracedRun({ api, span, written, item, links });
    return isNowhere(span) ? undefined : new UnrecordedRun(api, span);
  }
}

/** `INVALID_TRACEID` */
const noTrace = "0".repeat(32);

/** True without an SDK: the span has no place in any trace. */
const isNowhere = (span: Span): boolean => span.spanContext().traceId === noTrace;
