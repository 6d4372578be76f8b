// services/proxy: finds a pod behind a service and answers upstream's errors; this server has no
// network of pods.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (ResourceLocation,
// isValidAddress).
import type { Decoded } from "homeostat/api";
import type { EndpointAddress, Endpoints, Pod, Service } from "homeostat/k8s/core/v1";
import { failure, notFoundError } from "../../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../../apimachinery/errors/field-error.ts";
import type { ConnectTools, ProxyHandler } from "../../../apimachinery/rest/connecter.ts";
import { splitTarget, unavailableError } from "../proxy/proxy-target.ts";

const services = { group: "", resource: "services" } as const;

/** Chooses an address of the service's Endpoints. */
export const proxyToService: ProxyHandler = async (requested, tools) => {
  const { name, port } = splitTarget(requested, "service");
  const portName = /^[+-]?[0-9]+$/.test(port) ? nameOfPort(name, Number(port), tools) : port;
  const endpoints: Decoded<Endpoints> | undefined = tools.find(
    { group: "", resource: "endpoints" },
    name,
  );
  // Upstream's error names the service.
  if (!endpoints) throw notFoundError(services, name);
  const subsets = endpoints.subsets ?? [];
  if (!subsets.length)
    throw unavailableError(`no endpoints available for service ${quoteGo(name)}`);
  const serving = subsets.filter((subset) =>
    (subset.ports ?? []).some((each) => (each.name ?? "") === portName),
  );
  const namespace = endpoints.metadata?.namespace ?? "";
  if (
    !serving.some((subset) =>
      (subset.addresses ?? []).some((address) => isPod(address, namespace, tools)),
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
  const found: Decoded<Service> | undefined = tools.find(services, service);
  if (!found) throw notFoundError(services, service);
  const port = found.spec?.ports?.find((each) => each.port === number);
  if (!port)
    throw unavailableError(`no service port ${number} found for service ${quoteGo(service)}`);
  return port.name ?? "";
}

/** Only addresses of pods are valid targets. */
function isPod(address: Decoded<EndpointAddress>, namespace: string, tools: ConnectTools): boolean {
  const target = address.targetRef ?? {};
  const pod: Decoded<Pod> | undefined =
    (target.namespace ?? "") === namespace
      ? tools.find({ group: "", resource: "pods" }, target.name ?? "")
      : undefined;
  return (
    pod !== undefined &&
    (pod.status?.podIPs ?? []).some((each) => (each.ip ?? "") === (address.ip ?? ""))
  );
}
