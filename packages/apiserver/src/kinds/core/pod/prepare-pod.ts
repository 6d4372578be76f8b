// Prepares a new pod: sets its QoS class and its condition while scheduling gates hold it,
// completes selectors from its labels, and copies AppArmor annotations to fields.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (PrepareForCreate and what it
// calls).
import { type Decoded, equalJson } from "homeostat/api";
import type { Pod, PodAffinityTerm, PodCondition, PodSpec } from "homeostat/k8s/core/v1";
import type { LabelSelectorRequirement } from "homeostat/k8s/meta/v1";
import type { WriteContext } from "../../../apimachinery/rest/write-context.ts";
import { hasItems } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { visitContainers } from "./containers/visit-containers.ts";
import { dropDisabledFields } from "./drop-disabled-fields.ts";
import { qosClassOf } from "../resources/quality-of-service.ts";
import {
  appArmorAnnotation,
  appArmorField,
  validateAppArmorProfile,
} from "./validation/security/validate-app-armor.ts";

/** Prepares a decoded pod, in place. */
export function preparePod(pod: Decoded<Pod>, context: WriteContext): void {
  const spec = pod.spec ?? {};
  metadataOf(pod).generation = 1;
  pod.status = {
    phase: "Pending",
    qosClass: qosClassOf(spec),
    ...(hasItems(spec.schedulingGates) ? { conditions: [gatedCondition(context)] } : {}),
  };
  dropDisabledFields(spec);
  completeSelectors(spec, metadataOf(pod).labels ?? {});
  if (spec.os?.name !== "windows") copyAppArmorAnnotations(pod, spec, context);
}

const gatedCondition = ({ now }: WriteContext): Decoded<PodCondition> => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** Adds an expression for each of matchLabelKeys and mismatchLabelKeys, with the pod's value. */
function completeSelectors(spec: Decoded<PodSpec>, labels: Readonly<Record<string, string>>): void {
  const affinity = spec.affinity ?? {};
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    for (const term of affinity[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      completeTerm(term.podAffinityTerm ?? {}, labels);
    for (const term of affinity[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
      completeTerm(term, labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) completeTerm(constraint, labels);
}

function completeTerm(
  term: Decoded<Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">>,
  labels: Readonly<Record<string, string>>,
): void {
  const selector = term.labelSelector ?? undefined;
  if (!selector) return;
  const expressions = (
    keys: readonly string[],
    operator: "In" | "NotIn",
  ): Decoded<LabelSelectorRequirement>[] =>
    keys
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key]!] }));
  const added = [
    ...expressions(term.matchLabelKeys ?? [], "In"),
    ...expressions(term.mismatchLabelKeys ?? [], "NotIn"),
  ];
  if (added.length) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}

/**
 * Sets the appArmorProfile of each container that has the annotation and no field, unless it equals
 * the pod's profile.
 */
function copyAppArmorAnnotations(
  pod: Decoded<Pod>,
  spec: Decoded<PodSpec>,
  context: WriteContext,
): void {
  const annotations = metadataOf(pod).annotations ?? {};
  const ofPod = spec.securityContext?.appArmorProfile ?? undefined;
  visitContainers(spec, "", (container) => {
    const key = `${appArmorAnnotation}${container.name ?? ""}`;
    const annotation = annotations[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile) return [];
    const field = appArmorField(annotation);
    const usable = field && !validateAppArmorProfile(field, "").length ? field : undefined;
    const differs = usable !== undefined && !(ofPod && equalJson(usable, ofPod));
    if (differs)
      container.securityContext = {
        ...container.securityContext,
        appArmorProfile: usable,
      };
    if (differs || !usable)
      context.warn(
        `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      );
    return [];
  });
}
