// Admin access to devices that others use: only in namespaces labelled for it.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/utils.go (AuthorizedForAdmin,
// AuthorizedForAdminStatus).
import type { Decoded } from "homeostat/api";
import type { ResourceClaim, ResourceClaimSpec } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import type { ValidationContext } from "../../apimachinery/rest/write-context.ts";
import { type DecodedObject, metadataOf } from "../../apimachinery/meta/read-meta.ts";

const label = "resource.kubernetes.io/admin-access";

/** Requests with admin access in the spec of a claim. */
export function adminRequestErrors(
  object: DecodedObject,
  spec: Decoded<ResourceClaimSpec>,
  context: ValidationContext,
): FieldError[] {
  const i = (spec.devices?.requests ?? []).findIndex(
    (request) => request.exactly?.adminAccess === true,
  );
  // Upstream's path is that of a claim even in templates, and omits `exactly`.
  return i < 0 ? [] : namespaceErrors(object, context, `spec.devices.requests[${i}].adminAccess`);
}

/** Results with admin access in an allocation; those of the stored claim stay. */
export function adminResultErrors(
  claim: Decoded<ResourceClaim>,
  old: Decoded<ResourceClaim>,
  context: ValidationContext,
): FieldError[] {
  const granted = (object: Decoded<ResourceClaim>): number =>
    (object.status?.allocation?.devices?.results ?? []).findIndex(
      (result) => result.adminAccess === true,
    );
  const i = granted(claim);
  return i < 0 || granted(old) >= 0
    ? []
    : namespaceErrors(claim, context, `status.allocation.devices.results[${i}].adminAccess`);
}

function namespaceErrors(
  object: DecodedObject,
  { find }: ValidationContext,
  path: string,
): FieldError[] {
  const namespace = find?.(
    { group: "", resource: "namespaces" },
    metadataOf(object).namespace ?? "",
  );
  const isLabelled = namespace && metadataOf(namespace).labels?.[label] === "true";
  return errorIf(!isLabelled, () =>
    fieldError.forbidden(
      path,
      `admin access to devices requires the \`${label}: true\` label on the containing namespace`,
    ),
  );
}
