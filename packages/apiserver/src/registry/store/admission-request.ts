// A write of this request as admission sees it.
import type { JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** What differs from one write to the next. */
export interface AdmittedWrite {
  readonly operation: AdmissionRequest["operation"];
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly options: JsonObject;
  /** The object's name where the request has none. */
  readonly name?: string;
}

/** Fills in what the request knows. A namespace is its own namespace. */
export function admissionRequestOf(scope: RequestScope, write: AdmittedWrite): AdmissionRequest {
  const { request, resource, subresource } = scope;
  const name = write.name ?? scope.name;
  return {
    ...write,
    name,
    resource,
    subresource: subresource?.name ?? "",
    namespace: resource.group === "" && resource.resource === "namespaces" ? name : scope.namespace,
    user: request.user,
    warn: (text) => request.warnings.add(text),
  };
}
