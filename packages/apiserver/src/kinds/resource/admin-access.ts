// Access as an administrator, to devices that are in use by others: only in namespaces that are
// marked for it.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/utils.go (AuthorizedForAdmin,
// AuthorizedForAdminStatus).
import type { JsonObject } from "homeostat/api";
import { type FieldError, forbidden } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { itemsAt, textMapAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const label = "resource.kubernetes.io/admin-access";

/** Requests of a claim's spec. */
export function adminRequestErrors(
  object: JsonObject,
  spec: JsonObject,
  context: WriteContext,
): FieldError[] {
  const i = itemsAt(objectAt(spec, "devices"), "requests").findIndex(
    (request) => objectAt(request, "exactly")["adminAccess"] === true,
  );
  // Upstream's path is that of a claim, in templates too, and leaves out a step.
  return i < 0 ? [] : namespaceErrors(object, context, `spec.devices.requests[${i}].adminAccess`);
}

/** Results of an allocation; one that was granted stays. */
export function adminResultErrors(
  claim: JsonObject,
  old: JsonObject,
  context: WriteContext,
): FieldError[] {
  const granted = (object: JsonObject): number =>
    itemsAt(
      objectAt(objectAt(objectAt(object, "status"), "allocation"), "devices"),
      "results",
    ).findIndex((result) => result["adminAccess"] === true);
  const i = granted(claim);
  return i < 0 || granted(old) >= 0
    ? []
    : namespaceErrors(claim, context, `status.allocation.devices.results[${i}].adminAccess`);
}

function namespaceErrors(object: JsonObject, { find }: WriteContext, path: string): FieldError[] {
  const namespace = find?.(
    { group: "", resource: "namespaces" },
    stringAt(metadataOf(object), "namespace"),
  );
  const isMarked = namespace && textMapAt(metadataOf(namespace), "labels")[label] === "true";
  return isMarked
    ? []
    : [
        forbidden(
          path,
          `admin access to devices requires the \`${label}: true\` label on the containing namespace`,
        ),
      ];
}
