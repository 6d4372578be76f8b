// Priority: a pod's number comes from its class, and from nowhere else. One class at most is the
// default.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/priority/admission.go.
import type { JsonObject } from "homeostat/api";
import { isSet, numberAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { systemPriorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";
import { specOf } from "./spec-of.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

const classes = { group: "scheduling.k8s.io", resource: "priorityclasses" } as const;

export const createPriority: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!request.object || !isAbout(request, "", "pods")) return;
    if (request.operation === "UPDATE") keepPriority(request.object, request.old!);
    else if (request.operation === "CREATE") setPriority(request, request.object, objects);
  },
  validate(request) {
    const { operation, object } = request;
    if (operation === "DELETE") return refuseSystemClass(request);
    if (
      !object ||
      !isAbout(request, classes.group, classes.resource) ||
      object["globalDefault"] !== true
    )
      return;
    const other = defaultClass(objects);
    const name = other && stringAt(metadataOf(other), "name");
    if (other && (operation === "CREATE" || name !== stringAt(metadataOf(object), "name")))
      throw refuse(
        request,
        `PriorityClass ${name} is already marked as default. Only one default can exist`,
      );
  },
});

/** Upstream has this in the registry, behind admission. */
function refuseSystemClass(request: AdmissionRequest): void {
  const isSystem =
    isAbout(request, classes.group, classes.resource) &&
    systemPriorityClasses.some(({ name }) => name === request.name);
  if (isSystem) throw refuse(request, "this is a system priority class and cannot be deleted");
}

/** What was given at the start stays where a client leaves it out. */
function keepPriority(pod: JsonObject, old: JsonObject): void {
  for (const field of ["priority", "preemptionPolicy"]) {
    const before = objectAt(old, "spec")[field];
    if (isSet(before) && !isSet(objectAt(pod, "spec")[field])) specOf(pod)[field] = before;
  }
}

function setPriority(request: AdmissionRequest, pod: JsonObject, objects: StoredObjects): void {
  const spec = specOf(pod);
  const { name, priority, policy } = establishPriority(
    request,
    stringAt(spec, "priorityClassName"),
    objects,
  );
  if (isSet(spec["priority"]) && numberAt(spec, "priority") !== priority)
    throw refuse(
      request,
      `the integer value of priority (${numberAt(spec, "priority")}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  if (name) spec["priorityClassName"] = name;
  spec["priority"] = priority;
  if (!policy) return;
  if (isSet(spec["preemptionPolicy"]) && spec["preemptionPolicy"] !== policy)
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${stringAt(spec, "preemptionPolicy")}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  spec["preemptionPolicy"] = policy;
}

interface Priority {
  readonly name: string;
  readonly priority: number;
  readonly policy: string;
}

function establishPriority(
  request: AdmissionRequest,
  wanted: string,
  objects: StoredObjects,
): Priority {
  const found = wanted ? objects.find(classes, wanted) : defaultClass(objects);
  if (found)
    return {
      name: stringAt(metadataOf(found), "name"),
      priority: numberAt(found, "value"),
      policy: stringAt(found, "preemptionPolicy"),
    };
  if (wanted) throw refuse(request, `no PriorityClass with name ${wanted} was found`);
  return { name: "", priority: 0, policy: "PreemptLowerPriority" };
}

/** The lowest, where a race has left several. */
function defaultClass(objects: StoredObjects): JsonObject | undefined {
  const marked = objects.list(classes).filter((each) => each["globalDefault"] === true);
  return marked.reduce<JsonObject | undefined>(
    (lowest, each) =>
      lowest && numberAt(lowest, "value") <= numberAt(each, "value") ? lowest : each,
    undefined,
  );
}
