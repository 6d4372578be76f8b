// RuntimeClass: the class that a pod names must be there, and gives the pod its overhead and its
// place.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/runtimeclass/admission.go.
import { isObject, type JsonObject } from "homeostat/api";
import { nanoOf } from "../kinds/core/resources/resource-lists.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  textMapAt,
  objectAt,
} from "../apimachinery/meta/read-fields.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { plainError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";
import { mergeTolerations } from "./merge-tolerations.ts";
import { specOf } from "./spec-of.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export const createRuntimeClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!isNewPod(request)) return;
    const runtimeClass = classOf(request, objects);
    if (!runtimeClass) return;
    setOverhead(request, specOf(request.object!), runtimeClass);
    setScheduling(request, specOf(request.object!), runtimeClass);
  },
  validate(request) {
    if (!isNewPod(request)) return;
    const given = objectAt(request.object!, "spec")["overhead"];
    const overhead = overheadOf(classOf(request, objects));
    if (!overhead && isSet(given))
      throw refuse(
        request,
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      );
    if (overhead && !sameAmounts(overhead, given)) throw refuse(request, mismatch);
  },
});

const isNewPod = (request: AdmissionRequest): boolean =>
  request.operation === "CREATE" && request.object !== undefined && isAbout(request, "", "pods");

function classOf(request: AdmissionRequest, objects: StoredObjects): JsonObject | undefined {
  const name = objectAt(request.object!, "spec")["runtimeClassName"];
  if (typeof name !== "string") return undefined;
  if (!name) throw plainError("resource name may not be empty");
  const found = objects.find({ group: "node.k8s.io", resource: "runtimeclasses" }, name);
  if (!found) throw refuse(request, `pod rejected: RuntimeClass ${quoteGo(name)} not found`);
  return found;
}

/** undefined where the class says nothing about overhead. */
function overheadOf(runtimeClass: JsonObject | undefined): JsonObject | undefined {
  const overhead = runtimeClass?.["overhead"];
  return isObject(overhead) ? objectAt(overhead, "podFixed") : undefined;
}

function sameAmounts(a: JsonObject, b: JsonObject[string] | undefined): boolean {
  const given = isObject(b) ? b : {};
  const names = Object.keys(a);
  return (
    names.length === Object.keys(given).length &&
    names.every((name) => name in given && nanoOf(a[name]) === nanoOf(given[name]))
  );
}

function setOverhead(request: AdmissionRequest, spec: JsonObject, runtimeClass: JsonObject): void {
  const overhead = overheadOf(runtimeClass);
  if (!overhead) return;
  if (hasItems(spec["overhead"]) && !sameAmounts(overhead, spec["overhead"]))
    throw refuse(request, mismatch);
  if (hasItems(overhead)) spec["overhead"] = { ...overhead };
  else delete spec["overhead"];
}

function setScheduling(
  request: AdmissionRequest,
  spec: JsonObject,
  runtimeClass: JsonObject,
): void {
  const scheduling = mutableAt(runtimeClass, "scheduling");
  if (!scheduling) return;
  const own = textMapAt(spec, "nodeSelector");
  const wanted = textMapAt(scheduling, "nodeSelector");
  for (const [key, value] of Object.entries(wanted)) {
    const given = own[key];
    if (given !== undefined && given !== value)
      throw refuse(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`,
      );
  }
  if (hasItems(wanted)) spec["nodeSelector"] = { ...own, ...wanted };
  const merged = mergeTolerations(itemsAt(spec, "tolerations"), itemsAt(scheduling, "tolerations"));
  if (merged.length) spec["tolerations"] = merged.map((each) => ({ ...each }));
}
