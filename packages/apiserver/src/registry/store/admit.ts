// Runs the admission steps on the writes of a request.
// Upstream: k8s.io/apiserver/pkg/registry/rest (ValidateObjectFunc), pkg/endpoints/handlers;
// pkg/endpoints/request/requestinfo.go and handlers/create.go (namespaceGVR) for the namespace of a
// namespace, which is its name.
import type { JsonObject } from "homeostat/api";
import {
  type AdmissionRequest,
  runAdmission,
  runMutatingAdmission,
} from "../../apimachinery/rest/admission.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** What differs from one write to the next. */
export interface AdmittedWrite {
  readonly operation: AdmissionRequest["operation"];
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly options: JsonObject;
  /** The object's name if it is not that of the request. */
  readonly name?: string;
}

/** Runs the mutating steps, which change `object` in place. Throws what a step refuses with. */
export async function admitMutating(
  scope: RequestScope,
  write: () => AdmittedWrite,
): Promise<void> {
  const steps = scope.core.admission.mutating;
  if (steps.length) await runMutatingAdmission(steps, admissionRequestOf(scope, write()));
}

/** Runs the validating steps. Throws what a step refuses with. */
export async function admitValidating(
  scope: RequestScope,
  write: () => AdmittedWrite,
): Promise<void> {
  const steps = scope.core.admission.validating;
  // Without steps `write` is not called: its objects may have to be converted.
  if (steps.length) await runAdmission(steps, admissionRequestOf(scope, write()));
}

function admissionRequestOf(scope: RequestScope, write: AdmittedWrite): AdmissionRequest {
  const { request, resource, subresource } = scope;
  const name = write.name ?? scope.name;
  const isNamespace = resource.group === "" && resource.resource === "namespaces";
  return {
    ...write,
    name,
    requestName: scope.name,
    resource,
    subresource: subresource?.name ?? "",
    kind: subresource?.endpoint.kind ?? resource,
    namespace: isNamespace ? name : scope.namespace,
    user: request.user,
    warn: (text) => request.warnings.add(text),
  };
}
