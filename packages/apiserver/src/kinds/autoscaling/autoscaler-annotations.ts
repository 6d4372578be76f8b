// What autoscaling/v1 has no fields for and carries in annotations.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/{annotations.go,helpers.go}.
import type { JsonObject } from "homeostat/api";
import { textMapAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";

/** The annotations by what they carry. */
export const carried = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
} as const;
const all: readonly string[] = [
  ...Object.values(carried),
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];

/** Takes them away in place: they never stand beside the fields that they carry. */
export function dropCarried(object: JsonObject): void {
  const metadata = metadataOf(object);
  const annotations = textMapAt(metadata, "annotations");
  if (!all.some((name) => Object.hasOwn(annotations, name))) return;
  const rest = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !all.includes(name)),
  );
  if (Object.keys(rest).length) metadata["annotations"] = rest;
  else delete metadata["annotations"];
}
