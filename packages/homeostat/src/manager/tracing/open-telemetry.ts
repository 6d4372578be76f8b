// What is used of OpenTelemetry's API: an optional peer, so that its types are described here.
// Upstream: @opentelemetry/api 1.9.

export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | string[] | undefined>
>;

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export interface SpanLink {
  readonly context: SpanContext;
}

/** One span. */
export interface Span {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  /** Absent before API 1.9. */
  addLink?(link: SpanLink): unknown;
  end(time?: number): void;
}

/** Opaque. */
export interface SpanParent {
  getValue(key: symbol): unknown;
}

export interface Tracer {
  startSpan(
    name: string,
    options?: {
      readonly kind?: number;
      readonly attributes?: SpanAttributes;
      readonly links?: SpanLink[];
      readonly startTime?: number;
      readonly root?: boolean;
    },
    parent?: SpanParent,
  ): Span;
}

/** The module `@opentelemetry/api`. */
export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string, version?: string): Tracer;
    setSpan(parent: SpanParent, span: Span): SpanParent;
    getSpan(parent: SpanParent): Span | undefined;
  };
  readonly context: {
    active(): SpanParent;
    with<T>(parent: SpanParent, work: () => T): T;
  };
}

/** `SpanKind` */
export const spanKinds = { server: 1, client: 2, consumer: 4 } as const;
/** `SpanStatusCode.ERROR` */
export const errorStatus = 2;
