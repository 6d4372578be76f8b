// A dashboard made for controller-runtime shows our metrics: each of its queries finds series, of
// the type that its functions need, with the labels by which it groups them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController } from "homeostat";
import { defineValidatingWebhook, deny } from "homeostat/webhook";
import {
  dashboardBuckets,
  dashboardQueries,
  furtherQueries,
} from "../fixtures/controller-runtime-dashboard.ts";
import { freePort } from "../fixtures/free-port.ts";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { type ReadMetrics, readMetrics } from "../fixtures/read-metrics.ts";
import { until } from "../fixtures/until.ts";

/** Labels that Prometheus adds to what it scrapes. */
const added = new Set(["job", "namespace", "instance", "pod"]);
/** A gauge, of which kubebuilder's dashboard shows a rate all the same. */
const ratedGauge = "workqueue_unfinished_work_seconds";

/** Fails when a query would be empty. */
function assertAnswers(query: string, metrics: ReadMetrics): void {
  const names = Array.from(query.matchAll(/(\w+)\{/g), ([, name = ""]) => name);
  const groups = Array.from(query.matchAll(/by \(([^)]*)\)/g), ([, by = ""]) => by.split(", "));
  assert.ok(names.length > 0, query);
  for (const name of names) {
    const series = metrics.series(name);
    assert.ok(series.length > 0, `no series for ${query}`);
    for (const label of groups.flat().filter((one) => !added.has(one)))
      assert.ok(
        series.every(({ labels }) => labels[label] !== undefined),
        `${name} has no label ${label}, for ${query}`,
      );
    const family = name.replace(/_(bucket|sum|count)$/, "");
    const type = metrics.type(name) ?? metrics.type(family);
    const isCounted = new RegExp(`rate\\(${name}\\{`).test(query) && name !== ratedGauge;
    assert.equal(type === "gauge", !isCounted && name !== "process_cpu_seconds_total", query);
  }
}

const boxes = defineController(Box, {
  name: "boxes",
  async reconcile({ object }) {
    if (object.metadata.name === "broken") throw new Error("broken");
  },
});
const rules = defineValidatingWebhook(Box, {
  create: ({ object }) => (object.metadata.name === "refused" ? deny("no") : undefined),
});

describeLaws("dashboards", ({ client: open, run }) => {
  it("shows what a dashboard made for controller-runtime asks for", async () => {
    await open();
    const port = await freePort();
    await run(
      [boxes],
      async (client, manager) => {
        await assert.rejects(client.create(Box, Box("refused", {})), /denied the request: no/);
        await client.create(Box, Box("fine", {}));
        await client.create(Box, Box("broken", {}));
        const read = () => readMetrics(manager.metrics());
        const errors = "controller_runtime_reconcile_errors_total";
        await until(() => read().value(errors)! >= 2);
        const metrics = read();
        for (const query of [...dashboardQueries, ...furtherQueries]) assertAnswers(query, metrics);
        for (const [name, bounds] of Object.entries(dashboardBuckets)) {
          const found = metrics.series(`${name}_bucket`).map(({ labels }) => labels["le"]);
          assert.deepEqual(found, bounds, name);
        }
        const webhook = "/validate-laws-example-com-v1-box";
        const reviews = "controller_runtime_webhook_requests_total";
        assert.equal(metrics.value(reviews, { webhook, code: "200" }), 3);
        assert.equal(metrics.value(reviews, { webhook, code: "500" }), 0);
        const of = (name: string) =>
          metrics.value(`controller_runtime_webhook_${name}`, { webhook });
        assert.equal(of("latency_seconds_count"), 3);
        assert.equal(of("requests_in_flight"), 0);
      },
      {
        operator: "dashboards",
        metrics: { port: false },
        webhooks: { serve: [rules], url: `https://127.0.0.1:${port}` },
      },
    );
  });
});
