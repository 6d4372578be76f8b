// Warnings on ports of one pod that overlap.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go.
import type { Decoded } from "homeostat/api";
import type { ContainerPort, PodSpec } from "homeostat/k8s/core/v1";
import { quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import { visitContainers } from "../containers/visit-containers.ts";

interface PortAt {
  readonly port: Decoded<ContainerPort>;
  readonly path: string;
}

/** Warnings on all ports of a spec at `path`. */
export function portWarnings(spec: Decoded<PodSpec>, path: string): string[] {
  const ports = visitContainers(spec, path, (container, at) =>
    (container.ports ?? []).map((port, i) => ({ port, path: `${at}.ports[${i}]` })),
  );
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function numberWarnings(ports: readonly PortAt[]): string[] {
  const seen = new Map<string, PortAt[]>();
  return ports.flatMap((each) => {
    const { port, path } = each;
    const key = `${port.containerPort ?? 0}/${port.protocol ?? ""}`;
    const others = seen.get(key) ?? [];
    seen.set(key, [...others, each]);
    const unbound =
      port.hostIP && !port.hostPort
        ? [`${path}: hostIP set without hostPort: ${printPort(port)}`]
        : [];
    return [...unbound, ...others.flatMap((other) => overlapWarnings(each, other))];
  });
}

function overlapWarnings({ port, path }: PortAt, other: PortAt): string[] {
  const [ip, otherIp] = [port.hostIP ?? "", other.port.hostIP ?? ""];
  const [number, otherNumber] = [port.hostPort ?? 0, other.port.hostPort ?? 0];
  if (ip === otherIp && number === otherNumber)
    return [`${path}: duplicate port definition with ${other.path}`];
  if (!number || !otherNumber) return [`${path}: overlapping port definition with ${other.path}`];
  return number === otherNumber && (ip === "") !== (otherIp === "")
    ? [`${path}: dangerously ambiguous port definition with ${other.path}`]
    : [];
}

/** As Go's %+v prints the struct. */
function printPort(port: Decoded<ContainerPort>): string {
  return `{Name:${port.name ?? ""} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort ?? 0} Protocol:${port.protocol ?? ""} HostIP:${port.hostIP ?? ""}}`;
}

function nameWarnings(ports: readonly PortAt[]): string[] {
  const seen = new Map<string, string>();
  return ports.flatMap(({ port, path }) => {
    const name = port.name ?? "";
    const first = seen.get(name);
    if (!name) return [];
    if (first === undefined) seen.set(name, path);
    return first === undefined
      ? []
      : [
          `${path}: duplicate port name ${quoteGo(name)} with ${first}, services and probes that select ports by name will use ${first}`,
        ];
  });
}
