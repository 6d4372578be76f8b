// Reviews that webhooks answer, under controller-runtime's names, labels and buckets.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/webhook/internal/metrics/metrics.go,
// pkg/webhook/admission/metrics/metrics.go, pkg/webhook/conversion/metrics/metrics.go.
import {
  type Counter,
  exponentialBuckets,
  type Labels,
  type Metrics,
} from "../../metrics/index.ts";
import type { Clock } from "../../runtime/clock.ts";
import { conversionPath, type HookObserver } from "../../webhook/exchange.ts";

const buckets = exponentialBuckets(10e-9, 10, 12);

interface CountOptions {
  readonly paths: readonly string[];
  /** Of the cluster. */
  readonly labels: Labels;
  readonly clock: Clock;
}

/** Counts what is asked of webhooks at these paths. */
export function countWebhooks(set: Metrics, { paths, labels, clock }: CountOptions): HookObserver {
  const byPath = new Map(paths.map((path) => [path, declare(set, { ...labels, webhook: path })]));
  const panics = declarePanics(set, labels);
  return {
    asked(path) {
      const { latency, inFlight, total } = byPath.get(path)!;
      const began = clock.monotonic();
      inFlight.add(1);
      return (status) => {
        inFlight.add(-1);
        latency.observe((clock.monotonic() - began) / 1000);
        total(status).inc();
      };
    },
    panicked: (path) => (path === conversionPath ? panics.conversion : panics.admission).inc(),
  };
}

function declare(set: Metrics, series: Labels) {
  const labels = Object.keys(series);
  const requests = set.counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code.",
    labels: [...labels, "code"],
  });
  const byCode = new Map<number, Counter>();
  const total = (status: number): Counter => {
    const known = byCode.get(status);
    if (known) return known;
    const made = requests.with({ ...series, code: `${status}` });
    byCode.set(status, made);
    return made;
  };
  for (const likely of [200, 500]) total(likely).inc(0);
  return {
    total,
    latency: set
      .histogram({
        name: "controller_runtime_webhook_latency_seconds",
        help: "Histogram of the latency of processing admission requests",
        labels,
        buckets,
      })
      .with(series),
    inFlight: set
      .gauge({
        name: "controller_runtime_webhook_requests_in_flight",
        help: "Current number of admission requests being served.",
        labels,
      })
      .with(series),
  };
}

function declarePanics(set: Metrics, series: Labels) {
  const labels = Object.keys(series);
  const counter = (name: string, help: string): Counter => {
    const made = set.counter({ name: `controller_runtime_${name}`, help, labels }).with(series);
    made.inc(0);
    return made;
  };
  return {
    admission: counter("webhook_panics_total", "Total number of webhook panics"),
    conversion: counter(
      "conversion_webhook_panics_total",
      "Total number of conversion webhook panics",
    ),
  };
}
