// Defaults that only pods get and templates do not: requests from limits, pod-level resources, host
// ports, service links.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_Pod),
// zz_generated.defaults.go, conversion.go.
import type { JsonObject } from "homeostat/api";
import { formatQuantity } from "../../../../apimachinery/values/quantity.ts";
import {
  isSet,
  numberAt,
  setIfNil,
  setIfEmpty,
  mutableAt,
  itemsAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { dropInitContainerAnnotations, setPodSpecDefaults } from "./pod-spec-defaults.ts";
import { roundList, roundResources, sumContainers } from "../../resources/resource-lists.ts";
import {
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
} from "../../resources/resource-names.ts";

/** Sets the defaults of a decoded Pod, in place. */
export function setPodDefaults(pod: JsonObject): void {
  const spec = mutableAt(pod, "spec");
  if (!spec) return;
  for (const list of ["containers", "initContainers"])
    for (const container of itemsAt(spec, list)) requestLimits(container);
  setPodLevelDefaults(spec);
  setIfNil(spec, "enableServiceLinks", true);
  if (spec["hostNetwork"] === true) setHostPorts(spec);
  setPodSpecDefaults(spec);
  if (numberAt(spec, "terminationGracePeriodSeconds") < 0)
    spec["terminationGracePeriodSeconds"] = 1;
  dropInitContainerAnnotations(metadataOf(pod));
  const status = mutableAt(pod, "status");
  if (status) setStatusDefaults(status);
}

/** Limits without requests are requests, too. */
function requestLimits(container: JsonObject): void {
  const resources = mutableAt(container, "resources");
  const limits = resources && mutableAt(resources, "limits");
  if (limits) resources["requests"] = { ...limits, ...mutableAt(resources, "requests") };
}

function setPodLevelDefaults(spec: JsonObject): void {
  const resources = mutableAt(spec, "resources");
  if (!resources) return;
  const requests = textMapAt(resources, "requests");
  if (Object.keys(requests).length || Object.keys(textMapAt(resources, "limits")).length) {
    const huge = [...sumContainers(spec, "limits")].filter(
      ([name]) => isHugePages(name) && !Object.hasOwn(requests, name),
    );
    const limits = {
      ...Object.fromEntries(huge.map(([name, quantity]) => [name, formatQuantity(quantity)])),
      ...textMapAt(resources, "limits"),
    };
    if (Object.keys(limits).length) resources["limits"] = limits;
  }
  const limits = textMapAt(resources, "limits");
  if (!Object.keys(limits).length) return;
  const ofContainers = [...sumContainers(spec, "requests")].filter(
    ([name]) => isPodLevelResource(name) && isOvercommitAllowed(name),
  );
  const next = {
    ...Object.fromEntries(Object.entries(limits).filter(([name]) => isPodLevelResource(name))),
    ...Object.fromEntries(ofContainers.map(([name, quantity]) => [name, formatQuantity(quantity)])),
    ...requests,
  };
  if (Object.keys(next).length) resources["requests"] = next;
}

function setHostPorts(spec: JsonObject): void {
  for (const list of ["containers", "initContainers"]) {
    for (const container of itemsAt(spec, list))
      for (const port of itemsAt(container, "ports"))
        setIfEmpty(port, "hostPort", port["containerPort"] ?? 0);
  }
}

function setStatusDefaults(status: JsonObject): void {
  alignPodIps(status);
  for (const list of ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"]) {
    for (const container of itemsAt(status, list)) {
      roundList(mutableAt(container, "allocatedResources"));
      roundResources(objectAt(container, "resources"));
    }
  }
  roundList(mutableAt(status, "allocatedResources"));
  roundResources(objectAt(status, "resources"));
}

/** The first of podIPs is podIP; where they disagree, podIP wins. */
function alignPodIps(status: JsonObject): void {
  const single = stringAt(status, "podIP");
  const first = itemsAt(status, "podIPs")[0];
  if (single && (!first || stringAt(first, "ip") !== single)) status["podIPs"] = [{ ip: single }];
  else if (first && isSet(first["ip"])) status["podIP"] = stringAt(first, "ip");
}
