import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { openRequest, type ServerRequest } from "../registry/request/server-request.ts";
import { HealthMetrics } from "./health-metrics.ts";

const open = (method: string, path: string): ServerRequest =>
  openRequest({ method, path, headers: {}, body: new Uint8Array(0) }, 0);
const textOf = (answer: ApiResponse | undefined): string =>
  new TextDecoder().decode(answer!.body as Uint8Array);

test("/metrics/slis counts the checks of health paths", () => {
  const metrics = new HealthMetrics(1500);
  const read = (): string => textOf(metrics.answer(open("GET", "/metrics/slis")));
  const started = `# HELP process_start_time_seconds [ALPHA] Start time of the process since unix epoch in seconds.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.5
`;
  metrics.count(open("GET", "/readyz/etcd"), 200);
  metrics.count(open("GET", "/readyz"), 403);
  assert.equal(read(), started);
  metrics.count(open("GET", "/readyz"), 200);
  metrics.count(open("GET", "/readyz?exclude=etcd"), 200);
  const lines = read().split("\n");
  const total = (name: string): string =>
    `kubernetes_healthchecks_total{name="${name}",status="success",type="readyz"}`;
  assert.ok(lines.includes('kubernetes_healthcheck{name="shutdown",type="readyz"} 1'));
  assert.ok(lines.includes(`${total("ping")} 2`));
  assert.ok(lines.includes(`${total("etcd")} 1`));
  assert.equal(textOf(metrics.answer(open("DELETE", "/metrics/slis"))), "metrics reset\n");
  assert.equal(read(), "");
  assert.equal(metrics.answer(open("GET", "/metrics")), undefined);
});
