// Whether a node has room: for one more pod, for its requests, for its host ports. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/{noderesources/fit.go,nodeports/node_ports.go}.
import type { JsonObject } from "homeostat/api";
import { nanoOf, sumContainers } from "../kinds/core/resources/resource-lists.ts";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import { type Fleet, type NodeFilter, type Refusal, refuseForNow } from "./fleet.ts";

/** In which order what is missing is found; others follow by name. */
const first = ["cpu", "memory", "ephemeral-storage"];

/** Asks nodes for room. What does not say how much it has, has none. */
export function resourceFilter(
  pod: Pod,
  { podsOn, requestsOf }: Pick<Fleet, "podsOn" | "requestsOf">,
): NodeFilter {
  const wanted = [...requestsOf(pod)]
    .filter(([, amount]) => amount > 0n)
    .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return (node) => refusalOf(wanted, node, podsOn(node.metadata.name), requestsOf);
}

const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);

function refusalOf(
  wanted: readonly (readonly [string, bigint])[],
  node: Node,
  pods: readonly Pod[],
  requestsOf: Fleet["requestsOf"],
): Refusal | undefined {
  const has = (node.status?.["allocatable"] ?? {}) as JsonObject;
  const used = wanted.length === 0 ? [] : pods.map(requestsOf);
  const free = (name: string): bigint =>
    used.reduce((rest, amounts) => rest - (amounts.get(name) ?? 0n), nanoOf(has[name]));
  const missing = wanted.filter(([name, amount]) => amount > free(name));
  const reasons = [
    ...(pods.length + 1 > Number(nanoOf(has["pods"]) / 1_000_000_000n) ? ["Too many pods"] : []),
    ...missing.map(([name]) => `Insufficient ${name}`),
  ];
  return reasons.length === 0
    ? undefined
    : { reasons, curable: missing.every(([name, amount]) => amount <= nanoOf(has[name])) };
}

/** What a pod asks for: of its containers, unless it says so itself, and what running it costs. */
export function sumRequests({ spec }: Pod): ReadonlyMap<string, bigint> {
  const { resources, overhead, ...rest } = spec as Pod["spec"] & {
    readonly resources?: { readonly requests?: JsonObject };
    readonly overhead?: JsonObject;
  };
  const amounts = new Map(
    [...sumContainers(rest as never, "requests")].map(([name, { nano }]) => [name, nano]),
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

/** Asks nodes for the ports that a pod wants of them. */
export function portFilter(pod: Pod, { podsOn }: Pick<Fleet, "podsOn">): NodeFilter {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return () => undefined;
  return ({ metadata }) =>
    podsOn(metadata.name).some((one) =>
      hostPorts(one).some((taken) => wanted.some((port) => clash(port, taken))),
    )
      ? refuseForNow("node(s) didn't have free ports for the requested pod ports")
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
