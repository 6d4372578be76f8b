// The spec of a HorizontalPodAutoscaler in v2.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/validation/validation.go.
import type { Decoded } from "homeostat/api";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
} from "homeostat/k8s/autoscaling/v2";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectReference } from "./validate-object-reference.ts";
import { validateMetricSpec } from "./validate-metric-spec.ts";
import { nanoOf } from "../core/resources/resource-lists.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";

const maxWindowSeconds = 3600;
const maxPeriodSeconds = 1800;

/** Every error of a spec. */
export function validateAutoscalerSpec(
  spec: Decoded<HorizontalPodAutoscalerSpec>,
  old?: Decoded<HorizontalPodAutoscalerSpec>,
): FieldError[] {
  const metrics = spec.metrics ?? [];
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  return [
    ...replicaErrors(spec),
    ...targetErrors(spec.scaleTargetRef ?? {}, old && (old.scaleTargetRef ?? {})),
    ...eachItem(metrics, "spec.metrics", validateMetricSpec),
    ...errorIf(
      spec.minReplicas === 0 &&
        !metrics.some(({ type }) => type === "Object" || type === "External"),
      () =>
        fieldError.forbidden(
          "spec.metrics",
          "must specify at least one Object or External metric to support scaling to zero replicas",
        ),
    ),
    ...(scaleUp ? rulesErrors(scaleUp, "spec.behavior.scaleUp") : []),
    ...(scaleDown ? rulesErrors(scaleDown, "spec.behavior.scaleDown") : []),
  ];
}

function replicaErrors({
  minReplicas: min,
  maxReplicas,
}: Decoded<HorizontalPodAutoscalerSpec>): FieldError[] {
  const max = maxReplicas ?? 0;
  const path = "spec.maxReplicas";
  return [
    ...errorIf(isSet(min) && min < 1, () =>
      fieldError.invalid("spec.minReplicas", min, "must be greater than or equal to 1"),
    ),
    ...errorIf(max === 0, () => fieldError.required(path, "must be set and greater than 0")),
    ...errorIf(max < 0, () => fieldError.invalid(path, max, "must be greater than or equal to 1")),
    ...errorIf(isSet(min) && max < min, () =>
      fieldError.invalid(path, max, "must be greater than or equal to `minReplicas`"),
    ),
  ];
}

/** An unchanged reference stays valid; only ReplicationControllers are in the core group. */
function targetErrors(
  target: Decoded<CrossVersionObjectReference>,
  old: Decoded<CrossVersionObjectReference> | undefined,
): FieldError[] {
  const unchanged =
    old &&
    (old.apiVersion ?? "") === (target.apiVersion ?? "") &&
    (old.kind ?? "") === (target.kind ?? "");
  const path = "spec.scaleTargetRef";
  if (unchanged) return validateObjectReference(target, "any", path);
  const rule = target.kind === "ReplicationController" ? "valid" : "with a group";
  return validateObjectReference(target, rule, path);
}

function rulesErrors(rules: Decoded<HPAScalingRules>, path: string): FieldError[] {
  const window = rules.stabilizationWindowSeconds ?? undefined;
  const select = rules.selectPolicy ?? undefined;
  const policies = rules.policies ?? [];
  const tolerance = rules.tolerance;
  return [
    ...errorIf(window !== undefined && window < 0, () =>
      fieldError.invalid(
        `${path}.stabilizationWindowSeconds`,
        window,
        "must be greater than or equal to zero",
      ),
    ),
    ...errorIf(window !== undefined && window > maxWindowSeconds, () =>
      fieldError.invalid(
        `${path}.stabilizationWindowSeconds`,
        window,
        `must be less than or equal to ${maxWindowSeconds}`,
      ),
    ),
    ...errorIf(select !== undefined && !["Disabled", "Max", "Min"].includes(select), () =>
      fieldError.notSupported(`${path}.selectPolicy`, select, ["Disabled", "Max", "Min"]),
    ),
    ...errorIf(!policies.length, () =>
      fieldError.required(`${path}.policies`, "must specify at least one Policy"),
    ),
    ...eachItem(policies, `${path}.policies`, policyErrors),
    ...errorIf(isSet(tolerance) && nanoOf(tolerance) < 0n, () =>
      fieldError.invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0"),
    ),
  ];
}

function policyErrors(policy: Decoded<HPAScalingPolicy>, path: string): FieldError[] {
  const type = policy.type ?? "";
  const value = policy.value ?? 0;
  const seconds = policy.periodSeconds ?? 0;
  return [
    ...errorIf(type !== "Pods" && type !== "Percent", () =>
      fieldError.notSupported(`${path}.type`, type, ["Percent", "Pods"]),
    ),
    ...errorIf(value <= 0, () =>
      fieldError.invalid(`${path}.value`, value, "must be greater than zero"),
    ),
    ...errorIf(seconds <= 0, () =>
      fieldError.invalid(`${path}.periodSeconds`, seconds, "must be greater than zero"),
    ),
    ...errorIf(seconds > maxPeriodSeconds, () =>
      fieldError.invalid(
        `${path}.periodSeconds`,
        seconds,
        `must be less than or equal to ${maxPeriodSeconds}`,
      ),
    ),
  ];
}
