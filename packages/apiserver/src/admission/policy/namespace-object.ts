// The variable `namespaceObject`.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/condition.go (CreateNamespaceObject),
// pkg/admission/plugin/webhook/predicates/namespace/matcher.go (GetNamespace).
import { isObject, type JsonObject } from "homeostat/api";
import { notFoundError } from "../../apimachinery/errors/api-errors.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";

const namespaces = { group: "", resource: "namespaces" } as const;

/** The stored namespace of a request; none for cluster-scoped objects. Throws 404. */
export function namespaceOf(
  { namespace, kind }: AdmissionRequest,
  objects: StoredObjects,
): JsonObject | undefined {
  if (!namespace || (kind.kind === "Namespace" && kind.group === "" && kind.version === "v1"))
    return undefined;
  const found = objects.find(namespaces, namespace);
  if (!found) throw notFoundError(namespaces, namespace);
  return found;
}

/** What validations see of it: neither its type, its owners nor its field managers. */
export function visibleNamespace(namespace: JsonObject | undefined): JsonObject | undefined {
  if (!namespace) return undefined;
  const { kind: _kind, apiVersion: _version, metadata, ...rest } = namespace;
  const {
    managedFields: _managers,
    ownerReferences: _owners,
    ...shown
  } = isObject(metadata) ? metadata : {};
  return { metadata: shown, ...rest };
}
