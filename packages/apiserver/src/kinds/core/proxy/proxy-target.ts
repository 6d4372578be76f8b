// The targets of the proxies of nodes, pods and services: their syntax, and addresses that are
// forbidden.
// Upstream: k8s.io/apimachinery/pkg/util/net/port_split.go,
// k8s.io/kubernetes/pkg/util/node/node.go, pkg/kubelet/client/kubelet_client.go, pkg/proxy/util
// (IsProxyableIP).
import type { Decoded } from "homeostat/api";
import type { Node } from "homeostat/k8s/core/v1";
import { badRequestError, failure, plainError } from "../../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import { endpointIpErrors, parseIpSloppy } from "../../validation/ip-addresses.ts";

/** The parts of `web`, `web:80` or `https:web:443`. */
export interface ProxyTarget {
  readonly name: string;
  /** A number or a name; "" when absent. */
  readonly port: string;
}

/** Throws 400 for malformed targets; `kind` is for the message. */
export function splitTarget(requested: string, kind: string): ProxyTarget {
  const parts = requested.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", parts[0], parts[1] ?? ""];
  if (parts.length > 3 || !name || !["", "http", "https"].includes(scheme!))
    throw badRequestError(`invalid ${kind} request ${quoteGo(requested)}`);
  return { name, port: port! };
}

const preferredTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/** The address of a node's kubelet. Throws if the node has none. */
export function preferredAddress({ status }: Decoded<Node>): string {
  const addresses = status?.addresses ?? [];
  const found = preferredTypes.flatMap((type) => addresses.filter((each) => each.type === type))[0];
  if (found) return found.address ?? "";
  throw plainError(
    `no preferred addresses found; known addresses: [${addresses.map((each) => `{${each.type ?? ""} ${each.address ?? ""}}`).join(" ")}]`,
  );
}

/** Throws 400 for loopback, link-local, multicast and broadcast addresses. */
export function assertReachable(address: string): void {
  const parsed = parseIpSloppy(address);
  const [first = 0] = parsed?.bytes ?? [];
  const isMulticast = parsed?.bytes.length === 4 ? first >= 224 && first < 240 : first === 0xff;
  if (
    !parsed ||
    isMulticast ||
    address === "255.255.255.255" ||
    endpointIpErrors(address, "").length
  )
    throw badRequestError("address not allowed");
}

/** 503. */
export const unavailableError = (message: string): Error =>
  failure(503, "ServiceUnavailable", message);
