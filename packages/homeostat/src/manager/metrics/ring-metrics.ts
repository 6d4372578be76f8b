// The ring of replicas that share the objects, as this one sees it.
import type { RingReport } from "../../election/ring/ring-member.ts";
import type { Labels, Metrics } from "../../metrics/index.ts";

/** The gauges of one ring. */
export interface RingGauges {
  /** Undefined when this replica has no part in it. */
  show(report: RingReport | undefined): void;
}

const parts = ["owned", "wanted", "draining"] as const;

/** The gauges of the ring that `labels` name. */
export function ringGauges(set: Metrics, labels: Labels): RingGauges {
  const names = Object.keys(labels);
  const members = set.gauge({
    name: "homeostat_ring_members",
    help: "The replicas that share the objects, as this one sees them.",
    labels: names,
  });
  const slots = set.gauge({
    name: "homeostat_ring_slots",
    help: "The slots of the ring that this replica reconciles (owned), that are for it (wanted), and that it gives up once its reconciles have ended (draining).",
    labels: [...names, "part"],
  });
  const show = (report: RingReport | undefined): void => {
    members.with(labels).set(report?.members.length ?? 0);
    const counts = { ...report?.slots, draining: report?.draining };
    for (const part of parts) slots.with({ ...labels, part }).set(counts[part] ?? 0);
  };
  show(undefined);
  return { show };
}
