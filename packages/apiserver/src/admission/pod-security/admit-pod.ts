// Checks a pod or a pod template against the policy of its namespace: what is enforced refuses
// pods, what is warned by adds a warning.
// Upstream: k8s.io/pod-security-admission/admission/admission.go (EvaluatePod,
// DefaultPodSpecExtractor).
import type { Decoded } from "homeostat/api";
import type { CronJob } from "homeostat/k8s/batch/v1";
import type { PodTemplate, PodTemplateSpec, ReplicationController } from "homeostat/k8s/core/v1";
import { aggregate, formatFieldError } from "../../apimachinery/errors/aggregate.ts";
import { forbiddenError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { CheckedPod } from "./checks/pod-check.ts";
import type { PodSecurityConfiguration } from "./configuration.ts";
import { evaluatePod, formatDetails } from "./evaluate-pod.ts";
import {
  annotate,
  formatLevelVersion,
  type LevelVersion,
  type Policy,
  type ReadPolicy,
} from "./pod-security-policy.ts";

/** Throws 403 for a pod that violates what is enforced. */
export function checkPod(
  request: AdmissionRequest,
  read: ReadPolicy,
  configuration: PodSecurityConfiguration,
): void {
  const pod = toChecked(request.object as Decoded<PodTemplateSpec>);
  if (isExemptByClass(request, pod, configuration)) return;
  const { policy } = read;
  const violations = describe("violates", policy.enforce, pod);
  annotate(request, "enforce-policy", formatLevelVersion(policy.enforce));
  annotateViolations(request, read, pod);
  if (violations) throw forbiddenError(request.resource, request.name, violations);
  warn(request, policy, pod);
}

/** Only warns: the pods of the template will be checked. */
export function checkTemplate(
  request: AdmissionRequest,
  read: ReadPolicy,
  configuration: PodSecurityConfiguration,
): void {
  const template = templateOf(request);
  if (!template) return;
  const pod = toChecked(template);
  if (isExemptByClass(request, pod, configuration)) return;
  annotateViolations(request, read, pod);
  warn(request, read.policy, pod);
}

function isExemptByClass(
  request: AdmissionRequest,
  pod: CheckedPod,
  configuration: PodSecurityConfiguration,
): boolean {
  if (!isExempt(pod, configuration)) return false;
  annotate(request, "exempt", "runtimeClass");
  return true;
}

/** What is audited by is evaluated for requests that are audited. */
function annotateViolations(
  request: AdmissionRequest,
  { policy, errors }: ReadPolicy,
  pod: CheckedPod,
): void {
  if (!request.audit) return;
  const faults = aggregate(errors.map(formatFieldError));
  if (errors.length) annotate(request, "error", `Failed to parse policy: ${faults}`);
  const violations = describe("would violate", policy.audit, pod);
  if (violations) annotate(request, "audit-violations", violations);
}

function warn(request: AdmissionRequest, policy: Policy, pod: CheckedPod): void {
  const violations = describe("would violate", policy.warn, pod);
  if (violations) request.warn(violations);
}

/** e.g. `violates PodSecurity "baseline:latest": privileged (…)`; undefined if it is allowed. */
function describe(verb: string, by: LevelVersion, pod: CheckedPod): string | undefined {
  const violations = evaluatePod(by, pod);
  return violations.length
    ? `${verb} PodSecurity ${quoteGo(formatLevelVersion(by))}: ${formatDetails(violations)}`
    : undefined;
}

export const toChecked = ({ metadata, spec }: Decoded<PodTemplateSpec>): CheckedPod => ({
  annotations: metadata?.annotations ?? {},
  spec: spec ?? {},
});

/** Whether the pod is exempt by its runtime class. */
export const isExempt = ({ spec }: CheckedPod, { exemptions }: PodSecurityConfiguration): boolean =>
  exemptions.runtimeClasses.includes(spec.runtimeClassName || "\0");

function templateOf({
  object,
  resource,
}: AdmissionRequest): Decoded<PodTemplateSpec> | null | undefined {
  switch (resource.resource) {
    case "podtemplates":
      return (object as Decoded<PodTemplate>).template ?? {};
    case "cronjobs":
      return (object as Decoded<CronJob>).spec?.jobTemplate?.spec?.template ?? {};
    case "replicationcontrollers":
      return (object as Decoded<ReplicationController>).spec?.template;
    default:
      return (object as Decoded<ReplicationController>).spec?.template ?? {};
  }
}
