// What a service gets before it is validated: the address fields brought in line with each other,
// families chosen, addresses and node ports taken. The cluster has IPv4 only.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/{storage.go,alloc.go}.
import type { JsonObject } from "homeostat/api";
import {
  internalError,
  invalidError,
  plainError,
} from "../../../apimachinery/errors/api-errors.ts";
import { type FieldError, invalid } from "../../../apimachinery/errors/field-error.ts";
import type { Reservation } from "../../../apimachinery/rest/strategy.ts";
import { numberAt, stringAt } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { chooseFamilies, keepsPreferredAddresses } from "./service-families.ts";
import {
  clusterIpsOf,
  familiesOf,
  isHeadless,
  needsClusterIp,
  needsHealthCheck,
  nodePortsOf,
  portsOf,
  sameClusterIps,
  setSpec,
  specOf,
  usesNodePorts,
  wantsNodePorts,
} from "./service-facts.ts";
import { type Claim, PoolError } from "./service-pool.ts";

const invalidService = (service: JsonObject, errors: readonly FieldError[]): Error =>
  invalidError({ group: "", kind: "Service" }, stringAt(metadataOf(service), "name"), errors);

/** Fills in a new or changed service, in place. Throws 422 or 500; nothing stays taken then. */
export function reserveService(
  claim: Claim,
  service: JsonObject,
  old: JsonObject | undefined,
): Reservation {
  try {
    if (old) {
      keepAllocated(service, old);
      alignClusterIps(service, old);
    } else if (stringAt(specOf(service), "clusterIP") && !clusterIpsOf(service).length)
      setSpec(service, "clusterIPs", [stringAt(specOf(service), "clusterIP")]);
    const errors = chooseFamilies(service, old);
    if (errors.length) throw invalidService(service, errors);
    takeAddresses(claim, service, old);
    takeNodePorts(claim, service, old);
    takeHealthCheckPort(claim, service, old);
    return claim;
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** What the server had given stays, where a client that sends its manifest again leaves it out. */
function keepAllocated(service: JsonObject, old: JsonObject): void {
  const spec = specOf(service);
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if (!stringAt(spec, "clusterIP")) setSpec(service, "clusterIP", specOf(old)["clusterIP"]);
    if (!clusterIpsOf(service).length && clusterIpsOf(old).length)
      setSpec(service, "clusterIPs", [...clusterIpsOf(old)]);
  }
  if (wantsNodePorts(old) && wantsNodePorts(service)) keepNodePorts(service, old);
  if (needsHealthCheck(old) && needsHealthCheck(service) && !numberAt(spec, "healthCheckNodePort"))
    setSpec(service, "healthCheckNodePort", specOf(old)["healthCheckNodePort"]);
}

/** By the port's name; a number that the new service uses elsewhere is not handed out twice. */
function keepNodePorts(service: JsonObject, old: JsonObject): void {
  const now = nodePortsOf(service);
  const shared = new Set(nodePortsOf(old).filter((port) => now.includes(port)));
  const byName = new Map(
    portsOf(old).map((port) => [stringAt(port, "name"), numberAt(port, "nodePort")]),
  );
  for (const port of portsOf(service)) {
    const before = byName.get(stringAt(port, "name")) ?? 0;
    if (!numberAt(port, "nodePort") && before && !shared.has(before)) port["nodePort"] = before;
  }
}

/** `clusterIP` speaks for `clusterIPs` where a client changed only the former. */
function alignClusterIps(service: JsonObject, old: JsonObject): void {
  const now = stringAt(specOf(service), "clusterIP");
  const before = stringAt(specOf(old), "clusterIP");
  if (now === before && clusterIpsOf(old).length && !clusterIpsOf(service).length)
    setSpec(service, "clusterIPs", [...clusterIpsOf(old)]);
  if (now !== before && sameClusterIps(service, old))
    setSpec(service, "clusterIPs", before && !now ? undefined : [now]);
}

function takeAddresses(claim: Claim, service: JsonObject, old: JsonObject | undefined): void {
  if (!needsClusterIp(service) || (old && keepsPreferredAddresses(service, old))) return;
  // A service that had addresses, or none on purpose, keeps what it has: one family leaves nothing
  // to add.
  if (old && needsClusterIp(old)) return;
  if (isHeadless(service) || clusterIpsOf(service)[0] === "None") return;
  const given = clusterIpsOf(service);
  const taken = familiesOf(service).map((_, i) => takeAddress(claim, service, given[i] ?? ""));
  setSpec(service, "clusterIPs", [...taken, ...given.slice(taken.length)]);
  if (taken[0]) setSpec(service, "clusterIP", taken[0]);
}

function takeAddress(claim: Claim, service: JsonObject, wanted: string): string {
  try {
    if (!wanted) return claim.nextAddress();
    claim.address(wanted);
    return wanted;
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    if (error.isFull)
      throw internalError(
        `failed to allocate a serviceIP for Service "${stringAt(metadataOf(service), "name")}": ${error.message}`,
      );
    throw invalidService(service, [
      invalid(
        "spec.clusterIPs",
        [...clusterIpsOf(service)],
        `failed to allocate IP ${wanted}: ${error.message}`,
      ),
    ]);
  }
}

function takeNodePorts(claim: Claim, service: JsonObject, old: JsonObject | undefined): void {
  if (!usesNodePorts(service)) return;
  if (old) changeNodePorts(claim, service, old);
  else firstNodePorts(claim, service);
}

/** Ports of the same number, for TCP and UDP, share a node port unless they name different ones. */
function firstNodePorts(claim: Claim, service: JsonObject): void {
  const ports = portsOf(service);
  const byPort = new Map<number, number>();
  ports.forEach((entry, i) => {
    const port = numberAt(entry, "port");
    const own = numberAt(entry, "nodePort");
    if (!own && !wantsNodePorts(service)) return;
    const known = byPort.get(port);
    if (known === undefined) {
      const wanted =
        ports
          .map((each) => (numberAt(each, "port") === port ? numberAt(each, "nodePort") : 0))
          .find(Boolean) ?? 0;
      entry["nodePort"] = wanted ? takePort(claim, service, wanted, i) : nextPort(claim);
      byPort.set(port, Number(entry["nodePort"]));
    } else if (!own) entry["nodePort"] = known;
    else if (own !== known) takePort(claim, service, own, i);
  });
}

function changeNodePorts(claim: Claim, service: JsonObject, old: JsonObject): void {
  const before = new Set(nodePortsOf(old));
  const taken = new Set<number>();
  const seen = new Set<string>();
  portsOf(service).forEach((entry, i) => {
    const own = numberAt(entry, "nodePort");
    if (!own && !wantsNodePorts(service)) return;
    if (!own) entry["nodePort"] = nextPort(claim);
    else if (!before.has(own) && !taken.has(own)) taken.add(takePort(claim, service, own, i));
    const key = `{${stringAt(entry, "protocol")} ${numberAt(entry, "nodePort")}}`;
    if (seen.has(key)) throw plainError(`duplicate nodePort: ${key}`);
    seen.add(key);
  });
}

function takePort(claim: Claim, service: JsonObject, port: number, i: number): number {
  try {
    claim.port(port);
    return port;
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    throw invalidService(service, [invalid(`spec.ports[${i}].nodePort`, port, error.message)]);
  }
}

function nextPort(claim: Claim): number {
  try {
    return claim.nextPort();
  } catch (error) {
    throw error instanceof PoolError
      ? internalError(`failed to allocate a nodePort: ${error.message}`)
      : error;
  }
}

function takeHealthCheckPort(claim: Claim, service: JsonObject, old: JsonObject | undefined): void {
  if (!needsHealthCheck(service) || (old && needsHealthCheck(old))) return;
  const wanted = numberAt(specOf(service), "healthCheckNodePort");
  try {
    if (wanted) claim.port(wanted);
    else setSpec(service, "healthCheckNodePort", claim.nextPort());
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    throw internalError(
      wanted
        ? `failed to allocate requested HealthCheck NodePort ${wanted}: ${error.message}`
        : `failed to allocate a HealthCheck NodePort 0: ${error.message}`,
    );
  }
}
