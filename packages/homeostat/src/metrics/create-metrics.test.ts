// What is counted and how it reads. The expected text is what client_golang prints for the same.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { createMetrics } from "./create-metrics.ts";
import { formatFloat, formatLabels, formatMetrics } from "./format-metrics.ts";
import { exponentialBuckets } from "./instruments.ts";

describe("createMetrics", () => {
  it("reads as Prometheus' text format: families by name, series by label values", () => {
    const metrics = createMetrics();
    const requests = metrics.counter({
      name: "requests_total",
      help: "Requests\nby code \\ method.",
      labels: ["method", "code"],
    });
    requests.with({ code: "500", method: "GET" }).inc();
    const ok = requests.with({ code: "200", method: "GET" });
    ok.inc();
    ok.inc(2);
    metrics.gauge({ name: "active", help: "Now." }).with({}).set(1_234_567);
    metrics.gauge({ name: "unused", help: "Has no series.", labels: ["a"] });
    const times = metrics.histogram({
      name: "times_seconds",
      help: "Times.",
      buckets: [1e-8, 0.1, 1],
    });
    for (const value of [0.1, 0.5, 2]) times.with({}).observe(value);
    assert.equal(
      metrics.text(),
      String.raw`# HELP active Now.
# TYPE active gauge
active 1.234567e+06
# HELP requests_total Requests\nby code \\ method.
# TYPE requests_total counter
requests_total{code="200",method="GET"} 3
requests_total{code="500",method="GET"} 1
# HELP times_seconds Times.
# TYPE times_seconds histogram
times_seconds_bucket{le="1e-08"} 0
times_seconds_bucket{le="0.1"} 1
times_seconds_bucket{le="1"} 2
times_seconds_bucket{le="+Inf"} 3
times_seconds_sum 2.6
times_seconds_count 3
`,
    );
  });

  it("returns the same metric and series again", () => {
    const metrics = createMetrics();
    const options = { name: "n", help: "h", labels: ["a"] } as const;
    metrics.gauge(options).with({ a: "x" }).add(2);
    metrics.gauge(options).with({ a: "x" }).add(-1);
    assert.match(metrics.text(), /^n\{a="x"\} 1$/m);
  });

  it("drops series by some of their labels", () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge({ name: "n", help: "h", labels: ["a", "b"] });
    for (const a of ["1", "2"]) for (const b of ["1", "2"]) gauge.with({ a, b }).set(1);
    gauge.remove({ a: "1" });
    assert.deepEqual(metrics.text().match(/^n\{.*\}/gm), [`n{a="2",b="1"}`, `n{a="2",b="2"}`]);
  });

  it("computes families when it is read, and joins those of one name", () => {
    const metrics = createMetrics();
    let value = 0;
    const family = (labels: Record<string, string>) =>
      ({ name: "n", help: "h", type: "gauge", samples: [{ labels, value: ++value }] }) as const;
    metrics.collect(() => [family({ a: "1" })]);
    const second = metrics.collect(() => [family({ a: "2" })]);
    assert.equal(metrics.text(), '# HELP n h\n# TYPE n gauge\nn{a="1"} 1\nn{a="2"} 2\n');
    second.remove();
    assert.equal(metrics.text(), '# HELP n h\n# TYPE n gauge\nn{a="1"} 3\n');
  });

  it("refuses names that Prometheus does not take, and another shape under one name", () => {
    const refused = (declare: (metrics: ReturnType<typeof createMetrics>) => unknown) => {
      const metrics = createMetrics();
      metrics.counter({ name: "taken", help: "h" });
      assert.throws(
        () => declare(metrics),
        (error) => isHomeostatError(error, "ERR_METRIC"),
      );
    };
    refused((metrics) => metrics.counter({ name: "my-metric", help: "h" }));
    refused((metrics) => metrics.counter({ name: "", help: "h" }));
    refused((metrics) => metrics.counter({ name: "n", help: "h", labels: ["é"] }));
    refused((metrics) => metrics.histogram({ name: "n", help: "h", labels: ["le"] }));
    refused((metrics) => metrics.gauge({ name: "taken", help: "h" }));
    refused((metrics) => metrics.counter({ name: "taken", help: "h", labels: ["a"] }));
  });
});

describe("the text format", () => {
  it("prints numbers as Go does", () => {
    const expected = new Map([
      [0, "0"],
      [1, "1"],
      [-1.5, "-1.5"],
      [999_999, "999999"],
      [1e6, "1e+06"],
      [1_763_888_000.25, "1.76388800025e+09"],
      [0.0001, "0.0001"],
      [0.00001, "1e-05"],
      [1e-8, "1e-08"],
      [1e100, "1e+100"],
      [Infinity, "+Inf"],
      [-Infinity, "-Inf"],
      [Number.NaN, "NaN"],
    ]);
    assert.deepEqual(Array.from(expected.keys(), formatFloat), [...expected.values()]);
  });

  it("computes controller-runtime's buckets of queues, rounding included", () => {
    assert.deepEqual(exponentialBuckets(10e-9, 10, 12).map(formatFloat), [
      "1e-08",
      "1e-07",
      "1e-06",
      "9.999999999999999e-06",
      "9.999999999999999e-05",
      "0.001",
      "0.01",
      "0.1",
      "1",
      "10",
      "100",
      "1000",
    ]);
  });

  it("escapes label values, and puts le last", () => {
    assert.equal(formatLabels({}), "");
    assert.equal(
      formatLabels({ le: "1", zone: 'a "b"\n\\', kind: "é" }),
      String.raw`{kind="é",zone="a \"b\"\n\\",le="1"}`,
    );
    assert.equal(formatMetrics([]), "");
  });
});
