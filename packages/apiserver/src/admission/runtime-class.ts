// RuntimeClass: a pod's runtime class must exist; the pod gets its overhead, node selector and
// tolerations.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/runtimeclass/admission.go.
import type { Decoded } from "homeostat/api";
import type { Pod, PodSpec } from "homeostat/k8s/core/v1";
import type { RuntimeClass } from "homeostat/k8s/node/v1";
import { nanoOf } from "../kinds/core/resources/resource-lists.ts";
import { hasItems, isSet } from "../apimachinery/meta/read-fields.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { plainError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";
import { mergeTolerations } from "./merge-tolerations.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

type ResourceList = Readonly<Record<string, string>>;

export const createRuntimeClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!isNewPod(request)) return;
    const pod: Decoded<Pod> = request.object!;
    const spec = (pod.spec ??= {});
    const runtimeClass = classOf(request, spec, objects);
    if (!runtimeClass) return;
    setOverhead(request, spec, runtimeClass);
    setScheduling(request, spec, runtimeClass);
  },
  validate(request) {
    if (!isNewPod(request)) return;
    const { spec }: Decoded<Pod> = request.object!;
    const given = spec?.overhead;
    const overhead = overheadOf(classOf(request, spec ?? {}, objects));
    if (!overhead && isSet(given))
      throw refuse(
        request,
        "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
      );
    if (overhead && !sameAmounts(overhead, given ?? {})) throw refuse(request, mismatch);
  },
});

const isNewPod = (request: AdmissionRequest): boolean =>
  request.operation === "CREATE" && request.object !== undefined && isAbout(request, "", "pods");

function classOf(
  request: AdmissionRequest,
  { runtimeClassName: name }: Decoded<PodSpec>,
  objects: StoredObjects,
): Decoded<RuntimeClass> | undefined {
  if (!isSet(name)) return undefined;
  if (!name) throw plainError("resource name may not be empty");
  const found = objects.find({ group: "node.k8s.io", resource: "runtimeclasses" }, name);
  if (!found) throw refuse(request, `pod rejected: RuntimeClass ${quoteGo(name)} not found`);
  return found;
}

/** undefined when the class defines no overhead. */
const overheadOf = (runtimeClass: Decoded<RuntimeClass> | undefined): ResourceList | undefined =>
  runtimeClass?.overhead ? (runtimeClass.overhead.podFixed ?? {}) : undefined;

function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => name in b && nanoOf(a[name]) === nanoOf(b[name]))
  );
}

function setOverhead(
  request: AdmissionRequest,
  spec: Decoded<PodSpec>,
  runtimeClass: Decoded<RuntimeClass>,
): void {
  const overhead = overheadOf(runtimeClass);
  if (!overhead) return;
  const given = spec.overhead ?? {};
  if (hasItems(given) && !sameAmounts(overhead, given)) throw refuse(request, mismatch);
  if (hasItems(overhead)) spec.overhead = { ...overhead };
  else delete spec.overhead;
}

function setScheduling(
  request: AdmissionRequest,
  spec: Decoded<PodSpec>,
  { scheduling }: Decoded<RuntimeClass>,
): void {
  if (!scheduling) return;
  const own = spec.nodeSelector ?? {};
  const wanted = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(wanted)) {
    const given = own[key];
    if (given !== undefined && given !== value)
      throw refuse(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${given}`,
      );
  }
  if (hasItems(wanted)) spec.nodeSelector = { ...own, ...wanted };
  const merged = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (merged.length) spec.tolerations = merged.map((each) => ({ ...each }));
}
