// Topology hints: the zones and nodes that should use an endpoint, for services that keep traffic
// close. Pure.
// Upstream: k8s.io/endpointslice/trafficdist/trafficdist.go.
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import type { Endpoint, EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { Service } from "homeostat/k8s/core/v1";
import type { SlicePlan } from "./plan-slices.ts";
import type { SliceDraft } from "./slice-of-service.ts";

const close: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"]);
const modeAnnotations = [
  "service.kubernetes.io/topology-aware-hints",
  "service.kubernetes.io/topology-mode",
] as const;

/**
 * Sets or removes the hints of all endpoints. Slices of `existing` that the plan leaves alone are
 * updated if their hints are wrong.
 */
export function hint(
  service: Service,
  plan: SlicePlan,
  existing: readonly EndpointSlice[],
): SlicePlan {
  const wanted = service.spec.trafficDistribution;
  const isClose = wanted !== undefined && close.has(wanted) && !asksForTopology(service);
  const rule = (endpoint: Endpoint): Endpoint =>
    isClose ? hintClose(endpoint, wanted === "PreferSameNode") : withoutHints(endpoint);
  const touched = new Set([...plan.update, ...plan.delete].map(({ metadata }) => metadata.name));
  const wrong = existing.filter(
    ({ metadata, endpoints }) =>
      !touched.has(metadata.name) &&
      (endpoints ?? []).some((endpoint) => !hasSameHints(endpoint, rule(endpoint))),
  );
  const apply = (slice: SliceDraft): SliceDraft => ({
    ...slice,
    endpoints: slice.endpoints?.map(rule) ?? null,
  });
  return {
    create: plan.create.map(apply),
    update: [...plan.update, ...wrong].map(apply),
    delete: plan.delete,
  };
}

/**
 * The older annotations, which take precedence, distribute endpoints by the size of nodes. That is
 * not implemented: such a service has no hints.
 */
function asksForTopology({ metadata: { annotations = {} } }: Service): boolean {
  const mode = annotations[modeAnnotations[0]] ?? annotations[modeAnnotations[1]];
  return mode === "Auto" || mode === "auto";
}

/** Endpoints that are not ready keep their hints. */
function hintClose(endpoint: Endpoint, perNode: boolean): Endpoint {
  if (endpoint.conditions?.ready !== true) return endpoint;
  const { zone, nodeName } = endpoint;
  const hints = {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(nodeName !== undefined && perNode ? { forNodes: [{ name: nodeName }] } : {}),
  };
  return Object.keys(hints).length > 0 ? { ...endpoint, hints } : withoutHints(endpoint);
}

function withoutHints(endpoint: Endpoint): Endpoint {
  const { hints: _, ...rest } = endpoint;
  return rest;
}

const hasSameHints = (a: Endpoint, b: Endpoint): boolean =>
  deepEqual(a.hints ?? null, b.hints ?? null);
