// What a manager counts, under controller-runtime's names: after each outcome of a reconcile, of
// its requests, and of its caches.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { defineController, terminal } from "homeostat";
import { createMetrics } from "homeostat/metrics";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { readMetrics } from "../fixtures/read-metrics.ts";
import { until } from "../fixtures/until.ts";

describeLaws("metrics", ({ run }) => {
  it("counts reconciles by result, with errors, terminal errors and timeouts", async () => {
    const controller = defineController(Box, {
      name: "boxes",
      concurrency: 3,
      timeout: "200ms",
      async reconcile({ object, retry }) {
        const { name } = object.metadata;
        if (name === "later") return retry.in("1h", { because: "it is early" });
        if (name === "broken") throw new Error("broken");
        if (name === "wrong") throw terminal("it is never right");
        if (name === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
        return undefined;
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        for (const name of ["fine", "later", "broken", "wrong", "slow"])
          await client.create(Box, Box(name, {}));
        const read = () => readMetrics(manager.metrics());
        const total = (result: string) =>
          read().value("controller_runtime_reconcile_total", { controller: "boxes", result });
        await until(() => (total("error") ?? 0) >= 3 && (total("success") ?? 0) >= 1);
        await until(() => total("requeue_after") === 1);
        const timeouts = "controller_runtime_reconcile_timeouts_total";
        await until(() => read().value(timeouts)! >= 1);
        const terminalErrors = "controller_runtime_terminal_reconcile_errors_total";
        await until(() => read().value(terminalErrors) === 1);
        const metrics = read();
        const of = (name: string) =>
          metrics.value(`controller_runtime_${name}`, { controller: "boxes" });
        assert.equal(of("reconcile_errors_total"), total("error"));
        assert.equal(of("reconcile_panics_total"), 0);
        assert.equal(of("max_concurrent_reconciles"), 3);
        assert.equal(metrics.type("controller_runtime_reconcile_time_seconds"), "histogram");
        const queue = { name: "boxes", controller: "boxes" };
        assert.ok(metrics.value("workqueue_adds_total", queue)! >= 5);
        assert.ok(metrics.value("workqueue_retries_total", queue)! >= 2);
        assert.equal(metrics.value("workqueue_depth", { ...queue, priority: "0" }), 0);
        assert.equal(metrics.value("workqueue_depth", { ...queue, priority: "-100" }), 0);
        assert.ok(metrics.value("workqueue_queue_duration_seconds_count", queue)! >= 5);
        assert.ok(metrics.value("workqueue_work_duration_seconds_count", queue)! >= 4);
        const states = { controller: "boxes", state: "stalled" };
        assert.ok(metrics.value("homeostat_objects", states)! >= 1);
      },
      { metrics: { port: false } },
    );
  });

  it("shows a run that goes on: active workers, unfinished work", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = defineController(Box, { name: "boxes", reconcile: () => promise });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("slow", {}));
        const read = (name: string) => readMetrics(manager.metrics()).value(name, series);
        const series = { controller: "boxes" };
        await until(() => read("controller_runtime_active_workers") === 1);
        const queue = { ...series, name: "boxes" };
        const unfinished = () =>
          readMetrics(manager.metrics()).value("workqueue_unfinished_work_seconds", queue)!;
        const longest = "workqueue_longest_running_processor_seconds";
        await until(() => unfinished() > 0.02);
        assert.ok(readMetrics(manager.metrics()).value(longest, queue)! > 0.02);
        resolve();
        await until(() => read("controller_runtime_active_workers") === 0);
        assert.equal(unfinished(), 0);
      },
      { metrics: { port: false } },
    );
  });

  it("a conflict is a requeue and no error", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      name: "boxes",
      async reconcile({ object, client }) {
        runs++;
        if (runs > 1) return;
        const stale = { ...object.metadata, resourceVersion: "1", labels: { a: "b" } };
        await client.update(Box, { ...object, metadata: stale });
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("one", {}));
        await until(() => runs >= 2);
        const metrics = readMetrics(manager.metrics());
        const total = (result: string) =>
          metrics.value("controller_runtime_reconcile_total", { controller: "boxes", result });
        assert.deepEqual([total("requeue"), total("error")], [1, 0]);
      },
      { metrics: { port: false } },
    );
  });

  it("counts requests by code, method and host, and describes caches by kind", async () => {
    const controller = defineController(Box, {
      name: "boxes",
      async reconcile({ status, object, client }) {
        await client.get(Part, "absent").catch(() => undefined);
        status({ note: object.metadata.name });
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("one", {}));
        const done = { controller: "boxes", state: "done" };
        await until(() => readMetrics(manager.metrics()).value("homeostat_objects", done) === 1);
        const metrics = readMetrics(manager.metrics());
        const requests = metrics.series("rest_client_requests_total");
        const found = requests.map(({ labels }) => `${labels["method"]} ${labels["code"]}`);
        for (const expected of ["PATCH 200", "GET 404", "GET 200"])
          assert.ok(found.includes(expected), `${expected} is not in ${found.join(", ")}`);
        const { server } = client.transport;
        const host = typeof server === "string" ? new URL(server).host : "in-process";
        assert.ok(requests.every(({ labels }) => labels["host"] === host));
        const box = { group: "laws.example.com", version: "v1", kind: "Box", view: "whole" };
        const of = (name: string) => metrics.value(`homeostat_informer_${name}`, box);
        assert.equal(of("ready"), 1);
        assert.equal(of("objects"), 1);
        assert.ok(of("bytes")! > 100);
        assert.ok(of("contact_age_seconds")! < 10);
        assert.deepEqual([of("relists_total"), of("watch_restarts_total")], [0, 0]);
      },
      { metrics: { port: false } },
    );
  });

  it("describes the process, and reads the user's own metrics with its own", async () => {
    const custom = createMetrics();
    custom.counter({ name: "boxes_packed_total", help: "Boxes." }).with({}).inc(4);
    const controller = defineController(Box, { name: "boxes", async reconcile() {} });
    await run(
      [controller],
      async (_client, manager) => {
        const metrics = readMetrics(manager.metrics());
        assert.equal(metrics.value("boxes_packed_total"), 4);
        assert.ok(metrics.value("process_cpu_seconds_total")! > 0);
        assert.ok(metrics.value("process_resident_memory_bytes")! > 1e6);
        assert.ok(metrics.value("process_start_time_seconds")! > 1e9);
        if (process.platform === "linux") assert.ok(metrics.value("process_open_fds")! > 2);
        await until(() => {
          const delay = "homeostat_event_loop_delay_seconds_count";
          return readMetrics(manager.metrics()).value(delay)! > 0;
        });
      },
      { metrics: { custom } },
    );
  });

  it("prints what docs/reference/metrics.md lists, and no more", async () => {
    const page = readFileSync(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const listed = rows
      .filter((row) => !/certwatcher|webhook_|leader_election|homeostat_ring_/.test(row))
      .flatMap((row) => row.split(" | ")[0]!.match(/[a-z]\w+/g) ?? []);
    const controller = defineController(Box, { name: "boxes", async reconcile() {} });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("one", {}));
        const done = { controller: "boxes", state: "done" };
        await until(() => readMetrics(manager.metrics()).value("homeostat_objects", done) === 1);
        const printed = readMetrics(manager.metrics()).families();
        assert.deepEqual(printed.toSorted(), listed.toSorted());
      },
      { metrics: { port: false } },
    );
  });

  it("counts nothing unless it is asked to", async () => {
    const controller = defineController(Box, { name: "boxes", async reconcile() {} });
    await run([controller], async (_client, manager) => assert.equal(manager.metrics(), ""));
  });
});
