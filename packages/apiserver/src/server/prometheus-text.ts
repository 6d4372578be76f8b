// Metrics in Prometheus' text format.
// Upstream: github.com/prometheus/common/expfmt, k8s.io/component-base/metrics/legacyregistry.
import type { ApiResponse } from "../apimachinery/handler.ts";
import { plainText } from "../apimachinery/text-response.ts";

/** A response with metrics. */
export const metricsResponse = (text: string): ApiResponse =>
  plainText(200, text, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");

/** The response to the DELETE that resets metrics. */
export const resetResponse = (): ApiResponse => plainText(200, "metrics reset\n");

/** e.g. `{name="ping",type="readyz"}` */
export const formatLabels = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`)}}`;

/** One metric; nothing if it has no values. */
export function figure(
  name: string,
  type: string,
  help: string,
  values: ReadonlyMap<string, number>,
): string[] {
  if (values.size === 0) return [];
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...[...values].map(([labels, value]) => `${name}${labels} ${value}`).toSorted(),
  ];
}

/** The start time of the process, which several paths publish under different stabilities. */
export const startTimeFigure = (stability: "STABLE" | "ALPHA", startedAtMs: number): string[] =>
  figure(
    "process_start_time_seconds",
    "gauge",
    `[${stability}] Start time of the process since unix epoch in seconds${stability === "ALPHA" ? "." : ""}`,
    new Map([["", startedAtMs / 1000]]),
  );
