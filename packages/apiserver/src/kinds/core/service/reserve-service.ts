// Prepares a service before validation: normalizes the address fields, chooses IP families, and
// allocates addresses and node ports. The cluster has IPv4 only.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/{storage.go,alloc.go}.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import {
  internalError,
  invalidError,
  plainError,
} from "../../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { Reservation } from "../../../apimachinery/rest/strategy.ts";
import { initIpFamilyFields, keepsPreferredAddresses } from "./service-families.ts";
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
  needsNodePorts,
  shouldAllocateNodePorts,
} from "./service-fields.ts";
import { type Claim, PoolError } from "./service-pool.ts";

const invalidService = (service: Decoded<Service>, errors: readonly FieldError[]): Error =>
  invalidError({ group: "", kind: "Service" }, service.metadata?.name ?? "", errors);

/** Completes a service in place. Throws 422 or 500 after it has released the claim. */
export function reserveService(
  claim: Claim,
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): Reservation {
  try {
    if (old) {
      patchAllocatedValues(service, old);
      normalizeClusterIps(service, old);
    } else if (specOf(service).clusterIP && !clusterIpsOf(service).length)
      setSpec(service, "clusterIPs", [specOf(service).clusterIP ?? ""]);
    const errors = initIpFamilyFields(service, old);
    if (errors.length) throw invalidService(service, errors);
    allocateClusterIps(claim, service, old);
    allocateNodePorts(claim, service, old);
    allocateHealthCheckNodePort(claim, service, old);
    return claim;
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** Keeps allocated values that the update omits, as a client does that sends its manifest again. */
function patchAllocatedValues(service: Decoded<Service>, old: Decoded<Service>): void {
  const spec = specOf(service);
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if (!spec.clusterIP) setSpec(service, "clusterIP", specOf(old).clusterIP);
    if (!clusterIpsOf(service).length && clusterIpsOf(old).length)
      specOf(service).clusterIPs = [...clusterIpsOf(old)];
  }
  if (shouldAllocateNodePorts(old) && shouldAllocateNodePorts(service)) keepNodePorts(service, old);
  if (needsHealthCheck(old) && needsHealthCheck(service) && !spec.healthCheckNodePort)
    setSpec(service, "healthCheckNodePort", specOf(old).healthCheckNodePort);
}

/** Matches ports by name. Does not reuse a number that the update sets on another port. */
function keepNodePorts(service: Decoded<Service>, old: Decoded<Service>): void {
  const now = nodePortsOf(service);
  const shared = new Set(nodePortsOf(old).filter((port) => now.includes(port)));
  const byName = new Map(portsOf(old).map((port) => [port.name ?? "", port.nodePort ?? 0]));
  for (const port of portsOf(service)) {
    const before = byName.get(port.name ?? "") ?? 0;
    if (!port.nodePort && before && !shared.has(before)) port.nodePort = before;
  }
}

/** Copies `clusterIP` to `clusterIPs` when the client changed only the former. */
function normalizeClusterIps(service: Decoded<Service>, old: Decoded<Service>): void {
  const now = specOf(service).clusterIP ?? "";
  const before = specOf(old).clusterIP ?? "";
  if (now === before && clusterIpsOf(old).length && !clusterIpsOf(service).length)
    specOf(service).clusterIPs = [...clusterIpsOf(old)];
  if (now !== before && sameClusterIps(service, old))
    setSpec(service, "clusterIPs", before && !now ? undefined : [now]);
}

function allocateClusterIps(
  claim: Claim,
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): void {
  if (!needsClusterIp(service) || (old && keepsPreferredAddresses(service, old))) return;
  // With one family, there is nothing to add to the addresses of the old service.
  if (old && needsClusterIp(old)) return;
  if (isHeadless(service) || clusterIpsOf(service)[0] === "None") return;
  const given = clusterIpsOf(service);
  const taken = familiesOf(service).map((_, i) =>
    allocateClusterIp(claim, service, given[i] ?? ""),
  );
  setSpec(service, "clusterIPs", [...taken, ...given.slice(taken.length)]);
  if (taken[0]) setSpec(service, "clusterIP", taken[0]);
}

function allocateClusterIp(claim: Claim, service: Decoded<Service>, wanted: string): string {
  try {
    if (!wanted) return claim.nextAddress();
    claim.address(wanted);
    return wanted;
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    if (error.isFull)
      throw internalError(
        `failed to allocate a serviceIP for Service "${service.metadata?.name ?? ""}": ${error.message}`,
      );
    throw invalidService(service, [
      fieldError.invalid(
        "spec.clusterIPs",
        [...clusterIpsOf(service)],
        `failed to allocate IP ${wanted}: ${error.message}`,
      ),
    ]);
  }
}

function allocateNodePorts(
  claim: Claim,
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): void {
  if (!needsNodePorts(service)) return;
  if (old) updateNodePorts(claim, service, old);
  else initNodePorts(claim, service);
}

/** Ports of the same number, for TCP and UDP, share a node port unless they name different ones. */
function initNodePorts(claim: Claim, service: Decoded<Service>): void {
  const ports = portsOf(service);
  const byPort = new Map<number, number>();
  ports.forEach((entry, i) => {
    const port = entry.port ?? 0;
    const own = entry.nodePort ?? 0;
    if (!own && !shouldAllocateNodePorts(service)) return;
    const known = byPort.get(port);
    if (known === undefined) {
      const wanted =
        ports.map((each) => ((each.port ?? 0) === port ? (each.nodePort ?? 0) : 0)).find(Boolean) ??
        0;
      entry.nodePort = wanted ? allocateNodePort(claim, service, wanted, i) : nextPort(claim);
      byPort.set(port, Number(entry.nodePort));
    } else if (!own) entry.nodePort = known;
    else if (own !== known) allocateNodePort(claim, service, own, i);
  });
}

function updateNodePorts(claim: Claim, service: Decoded<Service>, old: Decoded<Service>): void {
  const before = new Set(nodePortsOf(old));
  const taken = new Set<number>();
  const seen = new Set<string>();
  portsOf(service).forEach((entry, i) => {
    const own = entry.nodePort ?? 0;
    if (!own && !shouldAllocateNodePorts(service)) return;
    if (!own) entry.nodePort = nextPort(claim);
    else if (!before.has(own) && !taken.has(own))
      taken.add(allocateNodePort(claim, service, own, i));
    const key = `{${entry.protocol ?? ""} ${entry.nodePort ?? 0}}`;
    if (seen.has(key)) throw plainError(`duplicate nodePort: ${key}`);
    seen.add(key);
  });
}

function allocateNodePort(
  claim: Claim,
  service: Decoded<Service>,
  port: number,
  i: number,
): number {
  try {
    claim.port(port);
    return port;
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    throw invalidService(service, [
      fieldError.invalid(`spec.ports[${i}].nodePort`, port, error.message),
    ]);
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

function allocateHealthCheckNodePort(
  claim: Claim,
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): void {
  if (!needsHealthCheck(service) || (old && needsHealthCheck(old))) return;
  const wanted = specOf(service).healthCheckNodePort ?? 0;
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
