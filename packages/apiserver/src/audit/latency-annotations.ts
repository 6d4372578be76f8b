// The annotations by which slow requests tell what took its time. Of upstream's phases those are
// measured that wait for others.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/audit.go (writeLatencyToAnnotation).
import type { AuditedPhase } from "../apimachinery/audit.ts";
import { formatGoDuration } from "../apimachinery/values/go-duration.ts";

/** Milliseconds by phase. */
export type Latencies = Map<AuditedPhase, number>;

const thresholdMs = 500;
const prefix = "apiserver.latency.k8s.io/";

/** None for requests that are not slow. Values are e.g. `716.12ms`. */
export function latencyAnnotations(
  totalMs: number,
  latencies: ReadonlyMap<AuditedPhase, number>,
): readonly (readonly [key: string, value: string])[] {
  if (totalMs <= thresholdMs) return [];
  return [...latencies, ["total", totalMs] as const].map(([phase, ms]) => [
    `${prefix}${phase}`,
    formatGoDuration(BigInt(Math.round(ms * 1e6))),
  ]);
}
