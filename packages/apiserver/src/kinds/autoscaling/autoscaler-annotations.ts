// The annotations of autoscaling/v1 that carry the fields it lacks.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/{annotations.go,helpers.go}.
import { type DecodedObject, metadataOf } from "../../apimachinery/meta/read-meta.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";

/** The annotations by the field that they carry. */
export const roundTripAnnotations = {
  metrics: `${prefix}metrics`,
  currentMetrics: `${prefix}current-metrics`,
  conditions: `${prefix}conditions`,
  behavior: `${prefix}behavior`,
} as const;
const all: readonly string[] = [
  ...Object.values(roundTripAnnotations),
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
];

/** Removes them in place. Upstream: DropRoundTripHorizontalPodAutoscalerAnnotations. */
export function dropRoundTripAnnotations(object: DecodedObject): void {
  const metadata = metadataOf(object);
  const annotations = metadata.annotations ?? {};
  if (!all.some((name) => Object.hasOwn(annotations, name))) return;
  const rest = Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !all.includes(name)),
  );
  if (Object.keys(rest).length) metadata.annotations = rest;
  else delete metadata.annotations;
}
