// What may change in a pod: images, deadlines, added tolerations, gates that go, and where a gated
// pod may be scheduled.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodUpdate).
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  forbiddenChange,
  invalid,
  invalidInternal,
  required,
} from "../../../registry/field-error.ts";
import { validateObjectMeta } from "../../../registry/object-meta/validate-object-meta.ts";
import { nameIsDnsSubdomain } from "../../object/names.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  optionalNumberAt,
  textMapAt,
} from "../../object/read-fields.ts";
import { finalizerErrors, metadataOf, objectAt, stringAt } from "../../object/strategy.ts";
import { diffPrinted } from "../../object/unified-diff.ts";
import { inRange } from "./field-rules.ts";
import { validatePodAnnotationChange, validatePodAnnotations } from "./validate-pod-annotations.ts";
import { validateWholePod } from "./validate-pod.ts";
import { validateTolerations } from "./validate-scheduling.ts";

const frozen =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Every breach of a change through the main endpoint. */
export function validatePodUpdate(pod: JsonObject, old: JsonObject): FieldError[] {
  const spec = objectAt(pod, "spec");
  const before = objectAt(old, "spec");
  const errors = validateChangedPod(pod, old);
  for (const list of ["containers", "initContainers"]) {
    if (itemsAt(spec, list).length !== itemsAt(before, list).length)
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    errors.push(
      ...itemsAt(spec, list).flatMap((container, i) =>
        imageErrors(container, `spec.${list}[${i}].image`),
      ),
    );
  }
  const deadline = deadlineErrors(spec, before);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(...tolerationErrors(spec, before), ...gateErrors(spec, before));
  return equalJson(spec, before) ? errors : [...errors, ...specErrors(spec, before)];
}

/** The rules that every endpoint that changes a pod's spec has in common. */
export function validateChangedPod(pod: JsonObject, old: JsonObject): FieldError[] {
  return [
    ...finalizerErrors(pod),
    ...validateObjectMeta(pod, { namespaced: true }, nameIsDnsSubdomain),
    ...validateWholePod(pod, old),
    ...validateAnnotationsOf(pod, old),
  ];
}

/** Annotations that may not change, and once more those that are there. */
export function validateAnnotationsOf(pod: JsonObject, old: JsonObject): FieldError[] {
  const annotations = textMapAt(metadataOf(pod), "annotations");
  return [
    ...validatePodAnnotationChange(
      annotations,
      textMapAt(metadataOf(old), "annotations"),
      "metadata.annotations",
    ),
    ...validatePodAnnotations(annotations, objectAt(pod, "spec"), "metadata.annotations"),
  ];
}

function imageErrors(container: JsonObject, path: string): FieldError[] {
  const image = stringAt(container, "image");
  return [
    ...(image ? [] : [required(path, "")]),
    ...(image === image.trim()
      ? []
      : [invalid(path, image, "must not have leading or trailing whitespace")]),
  ];
}

function deadlineErrors(
  spec: JsonObject,
  before: JsonObject,
): { readonly errors: FieldError[]; readonly stop: boolean } {
  const path = "spec.activeDeadlineSeconds";
  const now = optionalNumberAt(spec, "activeDeadlineSeconds");
  const was = optionalNumberAt(before, "activeDeadlineSeconds");
  if (now === undefined)
    return {
      errors:
        was === undefined
          ? []
          : [invalid(path, null, "must not update from a positive integer to nil value")],
      stop: false,
    };
  const errors = inRange(now, 0, 2147483647, path);
  if (!errors.length && was !== undefined && was < now)
    errors.push(invalid(path, now, "must be less than or equal to previous value"));
  return { errors, stop: errors.length > 0 };
}

function tolerationErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const now = itemsAt(spec, "tolerations");
  const timeless = (toleration: JsonObject): JsonObject => ({
    ...toleration,
    tolerationSeconds: null,
  });
  const kept = itemsAt(before, "tolerations").every((old) =>
    now.some((toleration) => equalJson(timeless(toleration), timeless(old))),
  );
  return kept
    ? validateTolerations(now, "spec.tolerations")
    : [
        forbidden(
          "spec.tolerations",
          "existing toleration can not be modified except its tolerationSeconds",
        ),
      ];
}

function gateErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const old = itemsAt(before, "schedulingGates").map((gate) => stringAt(gate, "name"));
  const added = new Map(
    itemsAt(spec, "schedulingGates").map((gate, i) => [stringAt(gate, "name"), i]),
  );
  return [...added]
    .filter(([name]) => !old.includes(name))
    .map(([name, i]) =>
      forbidden(
        `spec.schedulingGates[${i}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
}

/** Everything that may change is put back; what then still differs may not. */
function specErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const rest = cloneJson(spec);
  for (const list of ["containers", "initContainers"])
    itemsAt(rest, list).forEach(
      (container, i) => void (container["image"] = itemsAt(before, list)[i]!["image"]!),
    );
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"])
    putBack(rest, before, field);
  if (
    (optionalNumberAt(before, "terminationGracePeriodSeconds") ?? 0) < 0 &&
    rest["terminationGracePeriodSeconds"] === 1
  )
    putBack(rest, before, "terminationGracePeriodSeconds");
  const errors = hasItems(before["schedulingGates"]) ? gatedErrors(rest, before) : [];
  return equalJson(rest, before)
    ? errors
    : [
        ...errors,
        forbiddenChange("spec", frozen, {
          type: "core.PodSpec",
          before,
          after: rest,
          diff: diffPrinted,
        }),
      ];
}

function putBack(spec: JsonObject, before: JsonObject, field: string): void {
  if (before[field] === undefined) delete spec[field];
  else spec[field] = before[field];
}

/** The scheduler has not looked yet: node selector and affinity may become narrower. */
function gatedErrors(rest: JsonObject, before: JsonObject): FieldError[] {
  const selector = textMapAt(rest, "nodeSelector");
  const widened = Object.entries(textMapAt(before, "nodeSelector")).some(
    ([key, value]) => selector[key] !== value,
  );
  const errors = widened
    ? [
        invalid(
          "spec.nodeSelector",
          rest["nodeSelector"] ?? null,
          "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        ),
      ]
    : [];
  putBack(rest, before, "nodeSelector");
  const now = mutableAt(objectAt(rest, "affinity"), "nodeAffinity");
  const was = mutableAt(objectAt(before, "affinity"), "nodeAffinity");
  if (!equalJson(now ?? null, was ?? null)) {
    errors.push(...affinityErrors(now, was));
    putBackNodeAffinity(rest, before, was);
  }
  return errors;
}

function putBackNodeAffinity(
  rest: JsonObject,
  before: JsonObject,
  was: JsonObject | undefined,
): void {
  const { nodeAffinity: _, ...others } = objectAt(rest, "affinity");
  const next = { ...others, ...(was ? { nodeAffinity: was } : {}) };
  if (Object.keys(next).length || isSet(before["affinity"])) rest["affinity"] = next;
  else delete rest["affinity"];
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

function affinityErrors(now: JsonObject | undefined, was: JsonObject | undefined): FieldError[] {
  const path = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  const oldTerms = itemsAt(objectAt(was ?? {}, requiredTerms), "nodeSelectorTerms");
  const terms = itemsAt(objectAt(now ?? {}, requiredTerms), "nodeSelectorTerms");
  if (oldTerms.length && oldTerms.length !== terms.length)
    return [
      invalidInternal(
        path,
        ["[]core.NodeSelectorTerm", mutableAt(now ?? {}, requiredTerms)?.["nodeSelectorTerms"]],
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
      ),
    ];
  return oldTerms.flatMap((old, i) =>
    isNarrowed(terms[i]!, old)
      ? []
      : [
          invalidInternal(
            `${path}[${i}]`,
            ["core.NodeSelectorTerm", terms[i]],
            "only additions are allowed (no mutations or deletions)",
          ),
        ],
  );
}

function isNarrowed(term: JsonObject, old: JsonObject): boolean {
  const fields = ["matchExpressions", "matchFields"];
  const wasEmpty = fields.every((field) => !hasItems(old[field]));
  if (wasEmpty && fields.some((field) => hasItems(term[field]))) return false;
  return fields.every((field) =>
    itemsAt(old, field).every((expression, i) =>
      equalJson(expression, itemsAt(term, field)[i] ?? null),
    ),
  );
}
