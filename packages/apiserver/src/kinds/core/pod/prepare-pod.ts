// What a new pod gets beyond defaults: its class, its condition while gated, selectors completed
// from its labels, and AppArmor fields out of annotations.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (PrepareForCreate and what it
// calls).
import { equalJson, type JsonObject } from "homeostat/api";
import type { WriteContext } from "../../../apimachinery/rest/write-context.ts";
import {
  hasItems,
  itemsAt,
  mutableAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { visitContainers } from "./visit-containers.ts";
import { dropDisabledFields } from "./drop-disabled-fields.ts";
import { qosClassOf } from "./quality-of-service.ts";
import {
  appArmorAnnotation,
  appArmorField,
  validateAppArmorProfile,
} from "./validation/security/validate-app-armor.ts";

/** Prepares a decoded pod, in place. */
export function preparePod(pod: JsonObject, context: WriteContext): void {
  const spec = objectAt(pod, "spec");
  metadataOf(pod)["generation"] = 1;
  pod["status"] = {
    phase: "Pending",
    qosClass: qosClassOf(spec),
    ...(hasItems(spec["schedulingGates"]) ? { conditions: [gatedCondition(context)] } : {}),
  };
  dropDisabledFields(spec);
  completeSelectors(spec, textMapAt(metadataOf(pod), "labels"));
  if (stringAt(objectAt(spec, "os"), "name") !== "windows")
    copyAppArmorAnnotations(pod, spec, context);
}

const gatedCondition = ({ now }: WriteContext): JsonObject => ({
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
});

/** matchLabelKeys become expressions with the pod's own values. */
function completeSelectors(spec: JsonObject, labels: Readonly<Record<string, string>>): void {
  const affinity = objectAt(spec, "affinity");
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    for (const term of itemsAt(
      objectAt(affinity, kind),
      "preferredDuringSchedulingIgnoredDuringExecution",
    ))
      completeTerm(objectAt(term, "podAffinityTerm"), labels);
    for (const term of itemsAt(
      objectAt(affinity, kind),
      "requiredDuringSchedulingIgnoredDuringExecution",
    ))
      completeTerm(term, labels);
  }
  for (const constraint of itemsAt(spec, "topologySpreadConstraints"))
    completeTerm(constraint, labels);
}

function completeTerm(term: JsonObject, labels: Readonly<Record<string, string>>): void {
  const selector = mutableAt(term, "labelSelector");
  if (!selector) return;
  const expressions = (field: string, operator: string): JsonObject[] =>
    textsAt(term, field)
      .filter((key) => Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels[key]!] }));
  const added = [
    ...expressions("matchLabelKeys", "In"),
    ...expressions("mismatchLabelKeys", "NotIn"),
  ];
  if (added.length)
    selector["matchExpressions"] = [...itemsAt(selector, "matchExpressions"), ...added];
}

/**
 * Each container whose annotation has no field beside it gets one, unless the pod's profile says
 * the same.
 */
function copyAppArmorAnnotations(pod: JsonObject, spec: JsonObject, context: WriteContext): void {
  const annotations = textMapAt(metadataOf(pod), "annotations");
  const ofPod = mutableAt(objectAt(spec, "securityContext"), "appArmorProfile");
  visitContainers(spec, "", (container) => {
    const key = `${appArmorAnnotation}${stringAt(container, "name")}`;
    const annotation = annotations[key];
    if (
      annotation === undefined ||
      mutableAt(objectAt(container, "securityContext"), "appArmorProfile")
    )
      return [];
    const field = appArmorField(annotation);
    const usable = field && !validateAppArmorProfile(field, "").length ? field : undefined;
    const isNews = usable !== undefined && !(ofPod && equalJson(usable, ofPod));
    if (isNews)
      container["securityContext"] = {
        ...objectAt(container, "securityContext"),
        appArmorProfile: usable,
      };
    if (isNews || !usable)
      (context.warnAnyway ?? context.warn)(
        `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
      );
    return [];
  });
}
