// The option `tracing` of a manager.
import { describeValue } from "../../util/describe-error.ts";
import { isOptions, unknownOptions } from "../../util/option-faults.ts";
import type { OpenTelemetry, Tracer } from "./open-telemetry.ts";

/** Where spans go. */
export interface TracingOptions {
  /** Default: that of the registered provider, under the name `homeostat`. */
  readonly tracer?: Tracer | undefined;
  /** The module `@opentelemetry/api`. Default: it is loaded when the manager starts. */
  readonly api?: OpenTelemetry | undefined;
}

/** Problems of `tracing`. */
export function checkTracing(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (!isOptions(given)) return [`tracing is ${describeValue(given)}, expected options`];
  const { tracer, api } = given as { readonly tracer?: Partial<Tracer>; readonly api?: unknown };
  const { trace, context } = (isOptions(api) ? api : {}) as Partial<OpenTelemetry>;
  return [
    ...unknownOptions(given, ["tracer", "api"]),
    ...(tracer === undefined || typeof tracer?.startSpan === "function"
      ? []
      : [`tracer is ${describeValue(tracer)}, expected a Tracer of OpenTelemetry`]),
    ...(api === undefined || (trace && context)
      ? []
      : [`api is ${describeValue(api)}, expected the module @opentelemetry/api`]),
  ].map((problem) => `tracing.${problem}`);
}
