// Responses with metrics, and what several of them publish.
// Upstream: k8s.io/component-base/metrics/legacyregistry.
import { formatLabels, type MetricFamily, metricsMediaType, type Sample } from "homeostat/metrics";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { plainText } from "../apimachinery/text-response.ts";

/** A response with metrics. */
export const metricsResponse = (text: string): ApiResponse =>
  plainText(200, text, metricsMediaType);

/** The response to the DELETE that resets metrics. */
export const resetResponse = (): ApiResponse => plainText(200, "metrics reset\n");

/** One metric, its samples by their labels. */
export const figure = (
  name: string,
  type: MetricFamily["type"],
  help: string,
  samples: readonly Sample[],
): MetricFamily => ({
  name,
  type,
  help,
  samples: samples
    .map((sample) => [formatLabels(sample.labels), sample] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, sample]) => sample),
});

/** The start time of the process, which several paths publish under different stabilities. */
export const startTimeFigure = (stability: "STABLE" | "ALPHA", startedAtMs: number): MetricFamily =>
  figure(
    "process_start_time_seconds",
    "gauge",
    `[${stability}] Start time of the process since unix epoch in seconds${stability === "ALPHA" ? "." : ""}`,
    [{ labels: {}, value: startedAtMs / 1000 }],
  );
