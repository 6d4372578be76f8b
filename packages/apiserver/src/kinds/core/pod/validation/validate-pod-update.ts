// Validation of an update of a pod. Images, deadlines and tolerations may change, scheduling gates
// may go, and the node selector and affinity of a gated pod may become narrower.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodUpdate).
import { cloneJson, type Decoded, equalJson } from "homeostat/api";
import type {
  Container,
  NodeAffinity,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../../../apimachinery/meta/validate-object-meta.ts";
import { nameIsDnsSubdomain } from "../../../validation/names.ts";
import { hasItems, isSet, optionalInt64 } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { keepOld } from "../../../definition/default-strategy.ts";
import { finalizerErrors } from "../../../validation/validate-object.ts";
import { diffPrinted } from "../../../printers/unified-diff.ts";
import { inRange } from "../../../validation/field-rules.ts";
import { validateImageSpace } from "./containers/validate-containers.ts";
import { validatePodAnnotationChange, validatePodAnnotations } from "./validate-pod-annotations.ts";
import { validateWholePod } from "./validate-pod.ts";
import { validateToleration } from "./validate-scheduling.ts";

const frozen =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Validates an update through the main endpoint. */
export function validatePodUpdate(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  const spec = pod.spec ?? {};
  const before = old.spec ?? {};
  const errors = validateChangedPod(pod, old);
  for (const list of ["containers", "initContainers"] as const) {
    if ((spec[list]?.length ?? 0) !== (before[list]?.length ?? 0))
      return [
        ...errors,
        fieldError.forbidden(`spec.${list}`, "pod updates may not add or remove containers"),
      ];
    errors.push(...eachItem(spec[list], `spec.${list}`, imageErrors));
  }
  const deadline = deadlineErrors(spec, before);
  errors.push(...deadline.errors);
  if (deadline.stop) return errors;
  errors.push(...tolerationErrors(spec, before), ...gateErrors(spec, before));
  return equalJson(spec, before) ? errors : [...errors, ...specErrors(spec, before)];
}

/** The validation that all endpoints that change a pod's spec share. */
export function validateChangedPod(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  return [
    ...finalizerErrors(pod),
    ...validateObjectMeta(pod, { namespaced: true }, nameIsDnsSubdomain),
    ...validateWholePod(pod, old),
    ...validateAnnotationsOf(pod, old),
  ];
}

/** Validates the change of annotations, and the new ones once more, as upstream does. */
export function validateAnnotationsOf(pod: Decoded<Pod>, old: Decoded<Pod>): FieldError[] {
  const annotations = metadataOf(pod).annotations ?? {};
  return [
    ...validatePodAnnotationChange(
      annotations,
      metadataOf(old).annotations ?? {},
      "metadata.annotations",
    ),
    ...validatePodAnnotations(annotations, pod.spec ?? {}, "metadata.annotations"),
  ];
}

function imageErrors(container: Decoded<Container>, path: string): FieldError[] {
  return [
    ...errorIf(!container.image, () => fieldError.required(`${path}.image`, "")),
    ...validateImageSpace(container, path),
  ];
}

function deadlineErrors(
  spec: Decoded<PodSpec>,
  before: Decoded<PodSpec>,
): { readonly errors: FieldError[]; readonly stop: boolean } {
  const path = "spec.activeDeadlineSeconds";
  const now = optionalInt64(spec.activeDeadlineSeconds);
  const was = optionalInt64(before.activeDeadlineSeconds);
  if (now === undefined)
    return {
      errors: errorIf(was !== undefined, () =>
        fieldError.invalid(path, null, "must not update from a positive integer to nil value"),
      ),
      stop: false,
    };
  const errors = inRange(now, 0, 2147483647, path);
  if (!errors.length && was !== undefined && was < now)
    errors.push(fieldError.invalid(path, now, "must be less than or equal to previous value"));
  return { errors, stop: errors.length > 0 };
}

function tolerationErrors(spec: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const now = spec.tolerations ?? [];
  const timeless = (toleration: Decoded<Toleration>): Decoded<Toleration> => ({
    ...toleration,
    tolerationSeconds: null,
  });
  const kept = (before.tolerations ?? []).every((old) =>
    now.some((toleration) => equalJson(timeless(toleration), timeless(old))),
  );
  return kept
    ? eachItem(now, "spec.tolerations", validateToleration)
    : [
        fieldError.forbidden(
          "spec.tolerations",
          "existing toleration can not be modified except its tolerationSeconds",
        ),
      ];
}

function gateErrors(spec: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const old = (before.schedulingGates ?? []).map((gate) => gate.name ?? "");
  const added = new Map((spec.schedulingGates ?? []).map((gate, i) => [gate.name ?? "", i]));
  return [...added]
    .filter(([name]) => !old.includes(name))
    .map(([name, i]) =>
      fieldError.forbidden(
        `spec.schedulingGates[${i}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
}

/** Resets what may change to its old value, and refuses what then still differs. */
function specErrors(spec: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const rest = cloneJson(spec);
  for (const list of ["containers", "initContainers"] as const)
    (rest[list] ?? []).forEach(
      (container, i) => void (container.image = (before[list] ?? [])[i]!.image!),
    );
  // Upstream collects them anew, and prints an empty list as an absent one.
  if (!hasItems(rest.initContainers)) delete rest.initContainers;
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const)
    keepOld(rest, before, field);
  if (
    (optionalInt64(before.terminationGracePeriodSeconds) ?? 0) < 0 &&
    rest.terminationGracePeriodSeconds === 1
  )
    keepOld(rest, before, "terminationGracePeriodSeconds");
  const errors = hasItems(before.schedulingGates) ? gatedErrors(rest, before) : [];
  return equalJson(rest, before)
    ? errors
    : [
        ...errors,
        fieldError.forbiddenChange("spec", frozen, {
          type: "core.PodSpec",
          before,
          after: rest,
          diff: diffPrinted,
        }),
      ];
}

/** Before the gates go, the node selector and node affinity may become narrower. */
function gatedErrors(rest: Decoded<PodSpec>, before: Decoded<PodSpec>): FieldError[] {
  const selector = rest.nodeSelector ?? {};
  const widened = Object.entries(before.nodeSelector ?? {}).some(
    ([key, value]) => selector[key] !== value,
  );
  const errors = errorIf(widened, () =>
    fieldError.invalid(
      "spec.nodeSelector",
      rest.nodeSelector ?? null,
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    ),
  );
  keepOld(rest, before, "nodeSelector");
  const now = rest.affinity?.nodeAffinity;
  const was = before.affinity?.nodeAffinity;
  if (!equalJson(now ?? null, was ?? null)) {
    errors.push(...affinityErrors(now, was));
    keepNodeAffinity(rest, before);
  }
  return errors;
}

function keepNodeAffinity(rest: Decoded<PodSpec>, before: Decoded<PodSpec>): void {
  const was = before.affinity?.nodeAffinity;
  const { nodeAffinity: _, ...others } = rest.affinity ?? {};
  const next = { ...others, ...(was ? { nodeAffinity: was } : {}) };
  if (Object.keys(next).length || isSet(before.affinity)) rest.affinity = next;
  else delete rest.affinity;
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

type NodeAffinityOrNil = Decoded<NodeAffinity> | null | undefined;

function affinityErrors(now: NodeAffinityOrNil, was: NodeAffinityOrNil): FieldError[] {
  const path = `spec.affinity.nodeAffinity.${requiredTerms}.nodeSelectorTerms`;
  const oldTerms = was?.[requiredTerms]?.nodeSelectorTerms ?? [];
  const terms = now?.[requiredTerms]?.nodeSelectorTerms ?? [];
  if (oldTerms.length && oldTerms.length !== terms.length)
    return [
      fieldError.invalidInternal(
        path,
        ["[]core.NodeSelectorTerm", now?.[requiredTerms]?.nodeSelectorTerms],
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
      ),
    ];
  return eachItem(oldTerms, path, (old, at, i) =>
    errorIf(!isNarrowed(terms[i]!, old), () =>
      fieldError.invalidInternal(
        at,
        ["core.NodeSelectorTerm", terms[i]],
        "only additions are allowed (no mutations or deletions)",
      ),
    ),
  );
}

function isNarrowed(term: Decoded<NodeSelectorTerm>, old: Decoded<NodeSelectorTerm>): boolean {
  const fields = ["matchExpressions", "matchFields"] as const;
  const wasEmpty = fields.every((field) => !hasItems(old[field]));
  if (wasEmpty && fields.some((field) => hasItems(term[field]))) return false;
  return fields.every((field) =>
    (old[field] ?? []).every((expression, i) =>
      equalJson(expression, (term[field] ?? [])[i] ?? null),
    ),
  );
}
