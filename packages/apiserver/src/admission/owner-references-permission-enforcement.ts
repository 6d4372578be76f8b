// OwnerReferencesPermissionEnforcement: changing owners needs permission to delete the object, and
// blocking an owner's deletion needs permission to set the owner's finalizers.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/gc/gc_admission.go.
import { type Decoded, equalJson, type JsonObject, parseApiVersion } from "homeostat/api";
import type { OwnerReference } from "homeostat/k8s/meta/v1";
import type { RequestedAction } from "../apimachinery/authorizer.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { metaList } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { type CreatePlugin, isAbout, type PluginServices, refuse } from "./admission-plugin.ts";

type Owner = Decoded<OwnerReference>;

export const createOwnerReferencesPermissionEnforcement: CreatePlugin = (services) => ({
  validate(request) {
    const { operation, object, old } = request;
    if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return;
    if (isAbout(request, "", "pods", "status")) return;
    const [owners, before] = [ownersOf(object), old ? ownersOf(old) : []];
    if (equalJson(owners as never, before as never)) return;
    if (operation === "UPDATE") assertMayDelete(request, services);
    const blocking = owners.filter(
      (owner) =>
        owner.blockOwnerDeletion &&
        !before.some(({ uid, blockOwnerDeletion: did }) => uid === owner.uid && did),
    );
    const anything = { group: "*", version: "*", resource: "*", name: "*" };
    if (!blocking.length || decide(request, services, anything).allowed) return;
    for (const owner of blocking) assertMayFinalize(request, owner, services);
  },
});

const ownersOf = (object: JsonObject): readonly Owner[] =>
  (metaList(object, "ownerReferences") ?? []) as readonly Owner[];

function assertMayDelete(request: AdmissionRequest, { authorizer }: PluginServices): void {
  const { resource, subresource, namespace, name, user } = request;
  const { group, version } = resource;
  const of = { group, version, resource: resource.resource, subresource, namespace, name };
  const { allowed, reason } = authorizer({ user, info: { ...base, ...of, verb: "delete" } });
  if (!allowed)
    throw refuse(
      request,
      `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`,
    );
}

const base = { isResource: true, path: "", namespace: "" } as const;

const decide = (
  { user }: AdmissionRequest,
  { authorizer }: PluginServices,
  of: Pick<RequestedAction, "group" | "version" | "resource" | "name"> & {
    readonly namespace?: string;
  },
) => authorizer({ user, info: { ...base, ...of, verb: "update", subresource: "finalizers" } });

function assertMayFinalize(
  request: AdmissionRequest,
  { apiVersion, kind, name }: Owner,
  services: PluginServices,
): void {
  const { group, version } = parseApiVersion(apiVersion ?? "") ?? { group: "", version: "" };
  const served = services.catalog
    .all()
    .filter((each) => each.group === group && each.version === version && each.kind === kind);
  if (!served.length)
    throw refuse(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion ?? ""} Kind ${kind ?? ""}: no matches for kind ${quoteGo(kind ?? "")} in version ${quoteGo(apiVersion ?? "")}`,
    );
  for (const { resource, namespaced } of served) {
    const namespace = namespaced ? request.namespace : "";
    const of = { group, version, resource, name: name ?? "", namespace };
    const { allowed, reason } = decide(request, services, of);
    if (!allowed)
      throw refuse(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`,
      );
  }
}
