// The endpoints behind which a kubelet or a container stands: log, exec, attach, portforward, proxy. What can be said without
// them is said as upstream says it; beyond that there is nobody to ask here.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (LogLocation, streamLocation, ResourceLocation, validateContainer).
import type { JsonObject } from "homeostat/api";
import { badRequestError, failure, notFoundError } from "../../../registry/api-errors.ts";
import type { ConnectHandler, ConnectTools } from "../../../registry/served-resource.ts";
import { itemsAt } from "../../object/read-fields.ts";
import { metadataOf, objectAt, stringAt } from "../../object/strategy.ts";
import { visitContainers } from "./containers.ts";

const nodes = { group: "", resource: "nodes" } as const;

const nameOfPod = (pod: JsonObject): string => stringAt(metadataOf(pod), "name");

/** A container must be named, unless there is one only. */
function assertContainer(pod: JsonObject, container: string | undefined): void {
  const spec = objectAt(pod, "spec");
  const names = visitContainers(spec, "", (each) => [stringAt(each, "name")]);
  if (container) {
    if (!names.includes(container)) throw badRequestError(`container ${container} is not valid for pod ${nameOfPod(pod)}`);
  } else if (itemsAt(spec, "containers").length > 1) throw badRequestError(`a container name must be specified for pod ${nameOfPod(pod)}, choose one of: [${names.join(" ")}]`);
}

function refuse(pod: JsonObject, tools: ConnectTools, what: string): never {
  const node = stringAt(objectAt(pod, "spec"), "nodeName");
  // Upstream names the wrong resource here.
  if (!tools.find(nodes, node)) throw notFoundError({ group: "", resource: "pods" }, node);
  throw failure(501, "NotImplemented", `${what} pod ${nameOfPod(pod)}: this server has no kubelets; run the pod on a cluster that has`);
}

const stream =
  (what: string): ConnectHandler =>
  async (pod, _body, _context, tools) => {
    if (what !== "forward ports of") assertContainer(pod, tools.query("container"));
    if (!stringAt(objectAt(pod, "spec"), "nodeName")) throw badRequestError(`pod ${nameOfPod(pod)} does not have a host assigned`);
    return refuse(pod, tools, what);
  };

/** By subresource. */
export const podStreams: Readonly<Record<"attach" | "exec" | "log" | "portforward" | "proxy", ConnectHandler>> = {
  attach: stream("attach to"),
  exec: stream("run a command in"),
  portforward: stream("forward ports of"),
  // A pod without a node has written nothing yet.
  async log(pod, _body, _context, tools) {
    assertContainer(pod, tools.query("container"));
    return stringAt(objectAt(pod, "spec"), "nodeName") ? refuse(pod, tools, "read the log of") : { status: 204, text: "" };
  },
  async proxy(pod) {
    const address = stringAt(itemsAt(objectAt(pod, "status"), "podIPs")[0] ?? {}, "ip");
    if (!address) throw badRequestError("address not allowed");
    throw failure(501, "NotImplemented", `proxy to pod ${nameOfPod(pod)}: this server does not reach the network of pods`);
  },
};
