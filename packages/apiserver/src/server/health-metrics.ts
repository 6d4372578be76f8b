// Serves /metrics/slis: the results of health checks, which all pass, and how often they ran.
// Upstream: k8s.io/component-base/metrics/prometheus/slis, k8s.io/apiserver/pkg/server/healthz.
import { formatMetrics } from "homeostat/metrics";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { healthChecks } from "../discovery/health.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { figure, metricsResponse, resetResponse, startTimeFigure } from "./prometheus-text.ts";

/** The health metrics of one server. */
export class HealthMetrics {
  /** Absent after a reset. */
  #startedAtMs: number | undefined;
  /** By type, e.g. `readyz`, how often each check ran. */
  readonly #runs = new Map<string, Map<string, number>>();

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  /** Counts the checks of `/readyz` and its like; requests for one check are not counted. */
  count({ info, query }: ServerRequest, code: number): void {
    if (info.isResource || code !== 200) return;
    const type = info.path.slice(1);
    const checks = healthChecks(type);
    if (!checks) return;
    const excluded = new Set(query.all("exclude") ?? []);
    const runs = this.#runs.get(type) ?? new Map<string, number>();
    this.#runs.set(type, runs);
    for (const name of checks) if (!excluded.has(name)) runs.set(name, (runs.get(name) ?? 0) + 1);
  }

  /** Serves /metrics/slis, and resets it on DELETE; undefined for every other path. */
  answer({ api, info }: ServerRequest): ApiResponse | undefined {
    if (info.isResource || info.path !== "/metrics/slis") return undefined;
    if (api.method === "DELETE") return this.#reset();
    return metricsResponse(this.text());
  }

  #reset(): ApiResponse {
    this.#runs.clear();
    this.#startedAtMs = undefined;
    return resetResponse();
  }

  text(): string {
    const runs = [...this.#runs].flatMap(([type, counts]) =>
      Array.from(counts, ([name, count]) => ({ name, type, count })),
    );
    return formatMetrics([
      figure(
        "kubernetes_healthcheck",
        "gauge",
        "[STABLE] This metric records the result of a single healthcheck.",
        runs.map(({ name, type }) => ({ labels: { name, type }, value: 1 })),
      ),
      figure(
        "kubernetes_healthchecks_total",
        "counter",
        "[STABLE] This metric records the results of all healthcheck.",
        runs.map(({ name, type, count: value }) => ({
          labels: { name, status: "success", type },
          value,
        })),
      ),
      ...(this.#startedAtMs === undefined ? [] : [startTimeFigure("ALPHA", this.#startedAtMs)]),
    ]);
  }
}
