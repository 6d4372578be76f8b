// Definitions in the protected groups of the Kubernetes community need an approval annotation.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apihelpers/helpers.go, pkg/controller/apiapproval.
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../../apimachinery/errors/field-error.ts";
import { isRequestUri } from "../../../schema/formats/uri.ts";
import type { Definition, DefinitionCondition } from "../definition/definition.ts";

/** The annotation with the URL of the approving pull request, or "unapproved…". */
export const approvalAnnotation = "api-approved.kubernetes.io";
const see = "see https://github.com/kubernetes/enhancements/pull/1111";

type ApprovalState = "Invalid" | "Approved" | "Bypassed" | "Missing";
interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

const isCommunityGroup = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

function approvalOf(annotation: string): Approval {
  const rule = `protected groups must have approval annotation ${quoteGo(approvalAnnotation)}`;
  if (!annotation) return { state: "Missing", reason: `${rule}, ${see}` };
  if (annotation.startsWith("unapproved"))
    return { state: "Bypassed", reason: `not approved: ${quoteGo(annotation)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]+/.test(annotation) && isRequestUri(annotation))
    return { state: "Approved", reason: `approved in ${annotation}` };
  return {
    state: "Invalid",
    reason: `${rule} with either a URL or a reason starting with "unapproved", ${see}`,
  };
}

const annotationOf = (definition: Definition): string =>
  definition.metadata.annotations?.[approvalAnnotation] ?? "";

/** A missing or malformed annotation is an error, unless the stored one was so too. */
export function validateApproval(
  definition: Definition,
  old: Definition | undefined,
): FieldError[] {
  if (!isCommunityGroup(definition.spec.group ?? "")) return [];
  const { state, reason } = approvalOf(annotationOf(definition));
  if (old && approvalOf(annotationOf(old)).state === state) return [];
  const path = `metadata.annotations[${approvalAnnotation}]`;
  if (state === "Missing") return [fieldError.required(path, reason)];
  return errorIf(state === "Invalid", () =>
    fieldError.invalid(path, annotationOf(definition), reason),
  );
}

const conditions: Readonly<Record<ApprovalState, Pick<DefinitionCondition, "status" | "reason">>> =
  {
    Invalid: { status: "False", reason: "InvalidAnnotation" },
    Missing: { status: "False", reason: "MissingAnnotation" },
    Approved: { status: "True", reason: "ApprovedAnnotation" },
    Bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  };

/** The condition KubernetesAPIApprovalPolicyConformant; undefined outside the protected groups. */
export function approvalCondition(definition: Definition): DefinitionCondition | undefined {
  if (!isCommunityGroup(definition.spec.group ?? "")) return undefined;
  const { state, reason } = approvalOf(annotationOf(definition));
  return { type: "KubernetesAPIApprovalPolicyConformant", message: reason, ...conditions[state] };
}
