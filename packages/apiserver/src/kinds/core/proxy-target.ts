// What the proxies of nodes, pods and services have in common: how a target is written, and which
// addresses are no targets.
// Upstream: k8s.io/apimachinery/pkg/util/net/port_split.go,
// k8s.io/kubernetes/pkg/util/node/node.go, pkg/kubelet/client/kubelet_client.go, pkg/proxy/util
// (IsProxyableIP).
import type { JsonObject } from "homeostat/api";
import { badRequestError, failure, plainError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { endpointIpErrors, parseIpSloppy } from "../validation/ip-addresses.ts";
import { itemsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

/** `web`, `web:80` or `https:web:443`, taken apart. */
export interface ProxyTarget {
  readonly name: string;
  /** A number or a name; "" where none is given. */
  readonly port: string;
}

/** Throws 400 for what has no such form; `kind` is for the message. */
export function splitTarget(requested: string, kind: string): ProxyTarget {
  const parts = requested.split(":");
  const [scheme, name, port] = parts.length === 3 ? parts : ["", parts[0], parts[1] ?? ""];
  if (parts.length > 3 || !name || !["", "http", "https"].includes(scheme!))
    throw badRequestError(`invalid ${kind} request ${quoteGo(requested)}`);
  return { name, port: port! };
}

const preferred = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

/** The address under which a node's kubelet is spoken to. Throws where it has none. */
export function preferredAddress(node: JsonObject): string {
  const addresses = itemsAt(objectAt(node, "status"), "addresses");
  const found = preferred.flatMap((type) =>
    addresses.filter((each) => stringAt(each, "type") === type),
  )[0];
  if (found) return stringAt(found, "address");
  throw plainError(
    `no preferred addresses found; known addresses: [${addresses.map((each) => `{${stringAt(each, "type")} ${stringAt(each, "address")}}`).join(" ")}]`,
  );
}

/** Throws 400 for addresses that mean the server's own machine or link. */
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
