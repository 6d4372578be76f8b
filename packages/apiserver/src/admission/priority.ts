// Priority: sets a pod's priority from its PriorityClass, and allows one default class.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/priority/admission.go.
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import type { PriorityClass } from "homeostat/k8s/scheduling/v1";
import { isSet } from "../apimachinery/meta/read-fields.ts";
import { systemPriorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

const classes = { group: "scheduling.k8s.io", resource: "priorityclasses" } as const;

export const createPriority: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!request.object || !isAbout(request, "", "pods")) return;
    if (request.operation === "UPDATE") keepPriority(request.object, request.old!);
    else if (request.operation === "CREATE") setPriority(request, request.object, objects);
  },
  validate(request) {
    const { operation } = request;
    const object: Decoded<PriorityClass> | undefined = request.object;
    if (operation === "DELETE") return refuseSystemClass(request);
    if (!object?.globalDefault || !isAbout(request, classes.group, classes.resource)) return;
    const other = defaultClass(objects);
    const name = other?.metadata?.name;
    if (other && (operation === "CREATE" || name !== object.metadata?.name))
      throw refuse(
        request,
        `PriorityClass ${name} is already marked as default. Only one default can exist`,
      );
  },
});

/** Upstream refuses this in the registry, after admission. */
function refuseSystemClass(request: AdmissionRequest): void {
  const isSystem =
    isAbout(request, classes.group, classes.resource) &&
    systemPriorityClasses.some(({ name }) => name === request.name);
  if (isSystem) throw refuse(request, "this is a system priority class and cannot be deleted");
}

/** Keeps the old priority and preemption policy where a client omits them. */
function keepPriority(pod: Decoded<Pod>, old: Decoded<Pod>): void {
  const spec = (pod.spec ??= {});
  const { priority, preemptionPolicy } = old.spec ?? {};
  if (isSet(priority)) spec.priority ??= priority;
  if (isSet(preemptionPolicy)) spec.preemptionPolicy ??= preemptionPolicy;
}

function setPriority(request: AdmissionRequest, pod: Decoded<Pod>, objects: StoredObjects): void {
  const spec = (pod.spec ??= {});
  const wanted = spec.priorityClassName ?? "";
  const { name, priority, policy } = establishPriority(request, wanted, objects);
  if (isSet(spec.priority) && spec.priority !== priority)
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  if (name) spec.priorityClassName = name;
  spec.priority = priority;
  if (!policy) return;
  if (isSet(spec.preemptionPolicy) && spec.preemptionPolicy !== policy)
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec.preemptionPolicy = policy;
}

interface Priority {
  readonly name: string;
  readonly priority: number;
  readonly policy: Decoded<PriorityClass>["preemptionPolicy"];
}

function establishPriority(
  request: AdmissionRequest,
  wanted: string,
  objects: StoredObjects,
): Priority {
  const found: Decoded<PriorityClass> | undefined = wanted
    ? objects.find(classes, wanted)
    : defaultClass(objects);
  if (found)
    return {
      name: found.metadata?.name ?? "",
      priority: found.value ?? 0,
      policy: found.preemptionPolicy,
    };
  if (wanted) throw refuse(request, `no PriorityClass with name ${wanted} was found`);
  return { name: "", priority: 0, policy: "PreemptLowerPriority" };
}

/** The class with the lowest value, if a race has left several defaults. */
function defaultClass(objects: StoredObjects): Decoded<PriorityClass> | undefined {
  const listed: readonly Decoded<PriorityClass>[] = objects.list(classes);
  const marked = listed.filter(({ globalDefault }) => globalDefault === true);
  return marked.reduce<Decoded<PriorityClass> | undefined>(
    (lowest, each) => (lowest && (lowest.value ?? 0) <= (each.value ?? 0) ? lowest : each),
    undefined,
  );
}
