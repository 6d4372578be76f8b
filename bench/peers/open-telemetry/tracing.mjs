// The option `tracing` of an operator under test, by the name of a state: `api` has no SDK behind
// it, `sampled` and `tenth` have one with its defaults, whose exporter drops the spans.
import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";

const exporter = {
  export: (_, done) => done({ code: 0 }),
  forceFlush: async () => {},
  shutdown: async () => {},
};

export function tracingOf(state) {
  if (state !== "api") {
    const sampler =
      state === "tenth"
        ? new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(0.1) })
        : undefined;
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    api.trace.setGlobalTracerProvider(
      new BasicTracerProvider({
        ...(sampler && { sampler }),
        spanProcessors: [new BatchSpanProcessor(exporter)],
      }),
    );
  }
  return { api };
}
