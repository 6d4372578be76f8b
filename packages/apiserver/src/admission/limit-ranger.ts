// LimitRanger: containers get the defaults of their namespace's LimitRanges; pods and claims keep
// within the bounds.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/limitranger/admission.go.
import type { Decoded, JsonObject } from "homeostat/api";
import type { LimitRange, PersistentVolumeClaim, Pod } from "homeostat/k8s/core/v1";
import { aggregate } from "../apimachinery/errors/aggregate.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import { isDeleting } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";
import { type CreatePlugin, refuse } from "./admission-plugin.ts";

type Actions = typeof import("./limit-ranger/limit-range-actions.ts");

const limitRanges = { group: "", resource: "limitranges" } as const;

export const createLimitRanger: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!isLimited(request) || request.resource.resource !== "pods") return;
    for (const range of rangesOf(request, objects))
      actions().setDefaults(range, request.object as Decoded<Pod>);
  },
  validate(request) {
    if (!isLimited(request)) return;
    for (const range of rangesOf(request, objects)) {
      const faults = faultsOf(range, request.object, request.resource.resource);
      if (faults.length) throw refuse(request, aggregate(faults));
    }
  },
});

const actions = (): Actions =>
  loadLate(import.meta.url, "./limit-ranger/limit-range-actions") as Actions;

/** New pods and their resizes, new and changed claims; not objects that are being deleted. */
function isLimited(request: AdmissionRequest): boolean {
  const { resource, subresource, operation, object, old } = request;
  if (resource.group !== "" || !object || (operation !== "CREATE" && operation !== "UPDATE"))
    return false;
  if (old && isDeleting(old)) return false;
  if (resource.resource === "persistentvolumeclaims") return subresource === "";
  if (resource.resource !== "pods") return false;
  return operation === "UPDATE" ? subresource === "resize" : subresource === "";
}

function rangesOf(
  { namespace }: AdmissionRequest,
  objects: StoredObjects,
): readonly Decoded<LimitRange>[] {
  return objects.list(limitRanges, namespace);
}

function faultsOf(
  range: Decoded<LimitRange>,
  object: JsonObject | undefined,
  resource: string,
): readonly string[] {
  return resource === "pods"
    ? actions().podFaults(range, object as Decoded<Pod>)
    : actions().claimFaults(range, object as Decoded<PersistentVolumeClaim>);
}
