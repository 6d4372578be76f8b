// Defaults that only pods get and templates do not: requests from limits, pod-level resources, host
// ports, service links.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go (SetDefaults_Pod),
// zz_generated.defaults.go, conversion.go.
import type { Decoded } from "homeostat/api";
import type { Container, Pod, PodSpec, PodStatus } from "homeostat/k8s/core/v1";
import { formatQuantity } from "../../../../apimachinery/values/quantity.ts";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { dropInitContainerAnnotations, setPodSpecDefaults } from "./pod-spec-defaults.ts";
import { roundList, roundResources, sumContainers } from "../../resources/resource-lists.ts";
import {
  isHugePages,
  isOvercommitAllowed,
  isPodLevelResource,
} from "../../resources/resource-names.ts";

/** Sets the defaults of a decoded Pod, in place. */
export function setPodDefaults(pod: Decoded<Pod>): void {
  const { spec } = pod;
  if (!spec) return;
  setResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) setHostPorts(spec);
  setPodSpecDefaults(spec);
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  dropInitContainerAnnotations(metadataOf(pod));
  if (pod.status) setStatusDefaults(pod.status);
}

/** Resources of the pod follow from those that a LimitRange gives its containers. */
export function setPodDefaultsAgain({ spec }: Decoded<Pod>): void {
  if (spec?.resources) setResourceDefaults(spec);
}

function setResourceDefaults(spec: Decoded<PodSpec>): void {
  for (const list of ["containers", "initContainers"] as const)
    for (const container of spec[list] ?? []) requestLimits(container);
  setPodLevelDefaults(spec);
}

/** Requests what is limited and not requested. */
function requestLimits(container: Decoded<Container>): void {
  const { resources } = container;
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}

function setPodLevelDefaults(spec: Decoded<PodSpec>): void {
  const { resources } = spec;
  if (!resources) return;
  const requests = resources.requests ?? {};
  if (Object.keys(requests).length || Object.keys(resources.limits ?? {}).length) {
    const huge = [...sumContainers(spec, "limits")].filter(
      ([name]) => isHugePages(name) && !Object.hasOwn(requests, name),
    );
    const limits = {
      ...Object.fromEntries(huge.map(([name, quantity]) => [name, formatQuantity(quantity)])),
      ...resources.limits,
    };
    if (Object.keys(limits).length) resources.limits = limits;
  }
  const limits = resources.limits ?? {};
  if (!Object.keys(limits).length) return;
  const ofContainers = [...sumContainers(spec, "requests")].filter(
    ([name]) => isPodLevelResource(name) && isOvercommitAllowed(name),
  );
  const next = {
    ...Object.fromEntries(Object.entries(limits).filter(([name]) => isPodLevelResource(name))),
    ...Object.fromEntries(ofContainers.map(([name, quantity]) => [name, formatQuantity(quantity)])),
    ...requests,
  };
  if (Object.keys(next).length) resources.requests = next;
}

function setHostPorts(spec: Decoded<PodSpec>): void {
  for (const list of ["containers", "initContainers"] as const) {
    for (const container of spec[list] ?? [])
      for (const port of container.ports ?? []) port.hostPort ||= port.containerPort ?? 0;
  }
}

function setStatusDefaults(status: Decoded<PodStatus>): void {
  alignPodIps(status);
  for (const list of [
    "initContainerStatuses",
    "containerStatuses",
    "ephemeralContainerStatuses",
  ] as const) {
    for (const container of status[list] ?? []) {
      roundList(container.allocatedResources);
      roundResources(container.resources ?? {});
    }
  }
  roundList(status.allocatedResources);
  roundResources(status.resources ?? {});
}

/** Makes podIP the first of podIPs; podIP wins where they differ. */
function alignPodIps(status: Decoded<PodStatus>): void {
  const single = status.podIP ?? "";
  const first = status.podIPs?.[0];
  if (single && (!first || (first.ip ?? "") !== single)) status.podIPs = [{ ip: single }];
  else if (first && isSet(first.ip)) status.podIP = first.ip;
}
