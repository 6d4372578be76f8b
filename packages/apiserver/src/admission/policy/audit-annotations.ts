// The audit annotations of validating policies: their failures under the action Audit, and what
// their auditAnnotations say.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go.
import { encodeJson } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { Denial } from "./evaluate-validations.ts";
import type { BoundPolicy } from "./policy-source.ts";

const failureKey = "validation.policy.admission.k8s.io/validation_failure";
const maxValueBytes = 10 * 1024;

/** Only the first failure of a request is recorded. */
export function annotateFailure(
  { audit }: AdmissionRequest,
  { name, spec }: BoundPolicy,
  { message, index }: Denial,
): void {
  if (!audit) return;
  const members = [
    `"message":${encodeJson(message)}`,
    `"policy":${encodeJson(spec.policyName ?? "")}`,
    `"binding":${encodeJson(name)}`,
    `"expressionIndex":${index}`,
    `"validationActions":${encodeJson([...(spec.validationActions ?? [])])}`,
  ];
  audit.annotate(failureKey, `[{${members.join(",")}}]`);
}

/** Collects the values of a policy's annotations, which differ by binding and parameter. */
export class AnnotationCollector {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    values.add(truncated(value));
    this.#values.set(key, values);
  }

  publish(policy: string, { audit }: AdmissionRequest): void {
    if (!audit) return;
    for (const [key, values] of this.#values)
      audit.annotate(`${policy}/${key}`, [...values].join(", "));
  }
}

/** Upstream cuts bytes: an incomplete character at the end is replaced in the log. */
function truncated(value: string): string {
  const bytes = Buffer.from(value);
  return bytes.length > maxValueBytes ? bytes.subarray(0, maxValueBytes).toString("utf8") : value;
}
