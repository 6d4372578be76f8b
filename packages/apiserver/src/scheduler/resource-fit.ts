// Filters nodes by pod count, allocatable resources and free host ports. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/{noderesources/fit.go,nodeports/node_ports.go}.
import type { Decoded } from "homeostat/api";
import { nanoOf, sumContainers } from "../kinds/core/resources/resource-lists.ts";
import type { Node, Pod, PodSpec } from "homeostat/k8s/core/v1";
import { type Snapshot, type NodeFilter, type FilterStatus, unschedulable } from "./snapshot.ts";

/** The order of reasons. Other resources follow by name. */
const first = ["cpu", "memory", "ephemeral-storage"];

/** The NodeResourcesFit filter. A resource missing in allocatable counts as zero. */
export function resourceFilter(
  pod: Pod,
  { podsOn, requestsOf }: Pick<Snapshot, "podsOn" | "requestsOf">,
): NodeFilter {
  const requests = [...requestsOf(pod)]
    .filter(([, amount]) => amount > 0n)
    .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return (node) => fitsRequest(requests, node, podsOn(node.metadata.name), requestsOf);
}

const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);

function fitsRequest(
  requests: readonly (readonly [string, bigint])[],
  node: Node,
  pods: readonly Pod[],
  requestsOf: Snapshot["requestsOf"],
): FilterStatus | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const used = requests.length === 0 ? [] : pods.map(requestsOf);
  const free = (name: string): bigint =>
    used.reduce((rest, amounts) => rest - (amounts.get(name) ?? 0n), nanoOf(allocatable[name]));
  const insufficient = requests.filter(([name, amount]) => amount > free(name));
  const reasons = [
    ...(pods.length + 1 > Number(nanoOf(allocatable["pods"]) / 1_000_000_000n)
      ? ["Too many pods"]
      : []),
    ...insufficient.map(([name]) => `Insufficient ${name}`),
  ];
  return reasons.length === 0
    ? undefined
    : {
        reasons,
        resolvable: insufficient.every(([name, amount]) => amount <= nanoOf(allocatable[name])),
      };
}

/** The requests of a pod, overhead included. Pod-level requests replace those of containers. */
export function sumRequests({ spec }: Pod): ReadonlyMap<string, bigint> {
  const { resources, overhead } = spec;
  const amounts = new Map(
    [...sumContainers(spec as Decoded<PodSpec>, "requests")].map(([name, { nano }]) => [
      name,
      nano,
    ]),
  );
  for (const [name, amount] of Object.entries(resources?.requests ?? {}))
    amounts.set(name, nanoOf(amount));
  for (const [name, amount] of Object.entries(overhead ?? {}))
    amounts.set(name, (amounts.get(name) ?? 0n) + nanoOf(amount));
  return amounts;
}

interface HostPort {
  readonly hostPort: number;
  readonly ip: string;
  readonly protocol: string;
}

/** The NodePorts filter. */
export function portFilter(pod: Pod, { podsOn }: Pick<Snapshot, "podsOn">): NodeFilter {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return () => undefined;
  return ({ metadata }) =>
    podsOn(metadata.name).some((one) =>
      hostPorts(one).some((taken) => wanted.some((port) => clash(port, taken))),
    )
      ? unschedulable("node(s) didn't have free ports for the requested pod ports")
      : undefined;
}

const anywhere = "0.0.0.0";

const hostPorts = ({ spec }: Pod): readonly HostPort[] =>
  [
    ...spec.containers,
    ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP, protocol }) =>
      hostPort > 0 ? [{ hostPort, ip: hostIP || anywhere, protocol: protocol || "TCP" }] : [],
    ),
  );

const clash = (a: HostPort, b: HostPort): boolean =>
  a.hostPort === b.hostPort &&
  a.protocol === b.protocol &&
  (a.ip === b.ip || a.ip === anywhere || b.ip === anywhere);
