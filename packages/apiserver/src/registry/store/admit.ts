// Runs the admission steps on the writes of a request.
// Upstream: k8s.io/apiserver/pkg/registry/rest (ValidateObjectFunc), pkg/endpoints/handlers;
// pkg/endpoints/request/requestinfo.go and handlers/create.go (namespaceGVR) for the namespace of a
// namespace, which is its name.
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type { ManagedFieldsEntry } from "homeostat/k8s/meta/v1";
import { metadataOf, metaList } from "../../apimachinery/meta/read-meta.ts";
import {
  type AdmissionRequest,
  runAdmission,
  runMutatingAdmission,
} from "../../apimachinery/rest/admission.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";
import { decodeManagedFields } from "../../merge/managedfields/managed-fields.ts";
import { parseGoDuration } from "../../apimachinery/values/go-duration.ts";
import type { ServerRequest } from "../request/server-request.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** What differs from one write to the next. */
export interface AdmittedWrite {
  readonly operation: AdmissionRequest["operation"];
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly options: JsonObject | null;
  /** The object's name if it is not that of the request. */
  readonly name?: string;
}

/** Runs the mutating steps, which change `object` in place. Throws what a step refuses with. */
export async function admitMutating(
  scope: RequestScope,
  write: () => AdmittedWrite,
): Promise<void> {
  const steps = scope.core.admission.mutating;
  if (!steps.length) return;
  const request = admissionRequestOf(scope, write());
  const { object } = request;
  const before = object && metaList(object, "managedFields");
  await runMutatingAdmission(steps, request);
  if (object && metaList(object, "managedFields") !== before)
    keepValidManagedFields(object, before ?? [], (text) => request.warn(text));
}

/**
 * A step may change managedFields; what cannot be read is reset. Upstream:
 * pkg/endpoints/handlers/fieldmanager/admission.go.
 */
function keepValidManagedFields(
  object: JsonObject,
  before: readonly Json[],
  warn: (text: string) => void,
): void {
  try {
    decodeManagedFields(metaList(object, "managedFields"));
  } catch (error) {
    if (!(error instanceof MergeError)) throw error;
    const metadata = metadataOf(object);
    if (before.length) metadata.managedFields = before as Decoded<ManagedFieldsEntry>[];
    else delete metadata.managedFields;
    warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`,
    );
  }
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
    ...(write.operation === "CONNECT" ? {} : { deadlineMs: deadlineOf(request) }),
    warn: (text) => request.warnings.add(text),
    ...(request.audit ? { audit: request.audit } : {}),
  };
}

/**
 * Writes take 34 s at most, whatever their `timeout` parameter says. Upstream:
 * pkg/endpoints/handlers/rest.go (requestTimeoutUpperBound).
 */
const longestMs = 34_000;

function deadlineOf({ query, nowMs }: ServerRequest): number {
  const text = query.text("timeout");
  const timeout = text === "" ? undefined : parseGoDuration(text);
  const given = timeout && "nanos" in timeout ? Number(timeout.nanos / 1_000_000n) : 0;
  return nowMs + (given > 0 ? Math.min(given, longestMs) : longestMs);
}
