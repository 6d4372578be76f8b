// What is wrong with the options of a manager that are for its operation.
import type { Metrics } from "../metrics/index.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions, unknownOptions } from "../util/option-faults.ts";

/** Problems of `metrics`. */
export function checkMetrics(metrics: unknown): string[] {
  if (metrics === undefined) return [];
  if (!isOptions(metrics)) return [`metrics is ${describeValue(metrics)}, expected options`];
  const { custom } = metrics as { readonly custom?: Partial<Metrics> };
  return [
    ...unknownOptions(metrics, ["custom"]).map((problem) => `metrics.${problem}`),
    ...(custom === undefined || typeof custom?.families === "function"
      ? []
      : [`metrics.custom is ${describeValue(custom)}, expected what createMetrics returns`]),
  ];
}
