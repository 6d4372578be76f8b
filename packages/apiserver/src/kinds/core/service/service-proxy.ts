// services/proxy: finds a pod behind a service. What can be said without a network of pods is said
// as upstream says it.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (ResourceLocation,
// isValidAddress).
import type { JsonObject } from "homeostat/api";
import { failure, notFoundError } from "../../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import type { ConnectTools, ProxyHandler } from "../../../apimachinery/rest/connecter.ts";
import { itemsAt, numberAt, objectAt, stringAt } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { splitTarget, unavailableError } from "../proxy-target.ts";

const services = { group: "", resource: "services" } as const;

/** Passes on to an address of the service's Endpoints. */
export const proxyToService: ProxyHandler = async (requested, tools) => {
  const { name, port } = splitTarget(requested, "service");
  const portName = /^[+-]?[0-9]+$/.test(port) ? nameOfPort(name, Number(port), tools) : port;
  const endpoints = tools.find({ group: "", resource: "endpoints" }, name);
  // Upstream speaks of the service here.
  if (!endpoints) throw notFoundError(services, name);
  const subsets = itemsAt(endpoints, "subsets");
  if (!subsets.length)
    throw unavailableError(`no endpoints available for service ${quoteGo(name)}`);
  const serving = subsets.filter((subset) =>
    itemsAt(subset, "ports").some((each) => stringAt(each, "name") === portName),
  );
  const namespace = stringAt(metadataOf(endpoints), "namespace");
  if (
    !serving.some((subset) =>
      itemsAt(subset, "addresses").some((address) => isPod(address, namespace, tools)),
    )
  )
    throw unavailableError(`no endpoints available for service ${quoteGo(requested)}`);
  throw failure(
    501,
    "NotImplemented",
    `proxy to service ${name}: this server does not reach the network of pods`,
  );
};

function nameOfPort(service: string, number: number, tools: ConnectTools): string {
  const found = tools.find(services, service);
  if (!found) throw notFoundError(services, service);
  const port = itemsAt(objectAt(found, "spec"), "ports").find(
    (each) => numberAt(each, "port") === number,
  );
  if (!port)
    throw unavailableError(`no service port ${number} found for service ${quoteGo(service)}`);
  return stringAt(port, "name");
}

/** Only addresses that pods have are passed on to. */
function isPod(address: JsonObject, namespace: string, tools: ConnectTools): boolean {
  const target = objectAt(address, "targetRef");
  const pod =
    stringAt(target, "namespace") === namespace
      ? tools.find({ group: "", resource: "pods" }, stringAt(target, "name"))
      : undefined;
  return (
    pod !== undefined &&
    itemsAt(objectAt(pod, "status"), "podIPs").some(
      (each) => stringAt(each, "ip") === stringAt(address, "ip"),
    )
  );
}
