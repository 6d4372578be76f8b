// What tracing costs an operator: the flood by turns. A folder in BENCH_BASELINE is another
// checkout, whose controller takes turns too.
import { join } from "node:path";
import { absentOpenTelemetry, tracingStates } from "../peers/tracing-peer.ts";
import { floodByTurns, orders, slices } from "./flood-by-turns.ts";
import type { ServerRow } from "./row.ts";
import type { OperatorChoices } from "./start-operator.ts";

const absent = absentOpenTelemetry();
const baseline = process.env["BENCH_BASELINE"];

/** By name; the first is what the others are compared with. */
const contenders: ReadonlyMap<string, OperatorChoices> = new Map<string, OperatorChoices>([
  ...(absent ? (["off"] as const) : tracingStates).map(
    (tracing) => [tracing, { workers: 10, tracing }] as const,
  ),
  ...(baseline === undefined
    ? []
    : [["baseline", { workers: 10, program: join(baseline, "bench/rows/operator.ts") }] as const]),
]);

export const tracedFloodRow: ServerRow = {
  at: "server",
  name: "flood-traced",
  what: `the flood for controllers with tracing ${[...contenders.keys()].join(", ")}: ${orders} orders each, in ${slices} slices by turns`,
  note: absent
    ? `OpenTelemetry is ${absent}`
    : "@opentelemetry/sdk-trace-base with its defaults, whose exporter drops the spans; the first quarter of the slices warms up, unmeasured",
  run: (place, scale) => floodByTurns(place, scale, contenders),
};
