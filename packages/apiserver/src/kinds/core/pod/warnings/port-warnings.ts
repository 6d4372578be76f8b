// Warnings about ports of one pod that meet.
// Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go.
import type { JsonObject } from "homeostat/api";
import { quoteGo } from "../../../../apimachinery/errors/field-error.ts";
import { itemsAt, numberAt, stringAt } from "../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../visit-containers.ts";

interface PortAt {
  readonly port: JsonObject;
  readonly path: string;
}

/** All ports of a spec at `path`. */
export function portWarnings(spec: JsonObject, path: string): string[] {
  const ports = visitContainers(spec, path, (container, at) =>
    itemsAt(container, "ports").map((port, i) => ({ port, path: `${at}.ports[${i}]` })),
  );
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function numberWarnings(ports: readonly PortAt[]): string[] {
  const seen = new Map<string, PortAt[]>();
  return ports.flatMap((each) => {
    const { port, path } = each;
    const key = `${numberAt(port, "containerPort")}/${stringAt(port, "protocol")}`;
    const others = seen.get(key) ?? [];
    seen.set(key, [...others, each]);
    const unbound =
      stringAt(port, "hostIP") && !numberAt(port, "hostPort")
        ? [`${path}: hostIP set without hostPort: ${printPort(port)}`]
        : [];
    return [...unbound, ...others.flatMap((other) => meeting(each, other))];
  });
}

function meeting({ port, path }: PortAt, other: PortAt): string[] {
  const [ip, otherIp] = [stringAt(port, "hostIP"), stringAt(other.port, "hostIP")];
  const [number, otherNumber] = [numberAt(port, "hostPort"), numberAt(other.port, "hostPort")];
  if (ip === otherIp && number === otherNumber)
    return [`${path}: duplicate port definition with ${other.path}`];
  if (!number || !otherNumber) return [`${path}: overlapping port definition with ${other.path}`];
  return number === otherNumber && (ip === "") !== (otherIp === "")
    ? [`${path}: dangerously ambiguous port definition with ${other.path}`]
    : [];
}

/** As Go's %+v prints the struct. */
function printPort(port: JsonObject): string {
  return `{Name:${stringAt(port, "name")} HostPort:${numberAt(port, "hostPort")} ContainerPort:${numberAt(port, "containerPort")} Protocol:${stringAt(port, "protocol")} HostIP:${stringAt(port, "hostIP")}}`;
}

function nameWarnings(ports: readonly PortAt[]): string[] {
  const seen = new Map<string, string>();
  return ports.flatMap(({ port, path }) => {
    const name = stringAt(port, "name");
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
