// The endpoints behind which a kubelet or a container stands: log, exec, attach, portforward,
// proxy. What can be said without them is said as upstream says it; beyond that there is nobody to
// ask here.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (LogLocation, streamLocation,
// ResourceLocation, validateContainer).
import type { JsonObject } from "homeostat/api";
import {
  badRequestError,
  failure,
  invalidError,
  notFoundError,
} from "../../../../apimachinery/errors/api-errors.ts";
import {
  type FieldError,
  forbidden,
  invalid,
} from "../../../../apimachinery/errors/field-error.ts";
import type {
  ConnectHandler,
  ConnectTools,
  ProxyHandler,
} from "../../../../apimachinery/rest/connecter.ts";
import { itemsAt, objectAt, stringAt } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { assertReachable, preferredAddress, splitTarget } from "../../proxy-target.ts";
import { visitContainers } from "../visit-containers.ts";

const nodes = { group: "", resource: "nodes" } as const;

const nameOfPod = (pod: JsonObject): string => stringAt(metadataOf(pod), "name");

/** A container must be named, unless there is one only. */
function assertContainer(pod: JsonObject, container: string | undefined): void {
  const spec = objectAt(pod, "spec");
  const names = visitContainers(spec, "", (each) => [stringAt(each, "name")]);
  if (container) {
    if (!names.includes(container))
      throw badRequestError(`container ${container} is not valid for pod ${nameOfPod(pod)}`);
  } else if (itemsAt(spec, "containers").length > 1)
    throw badRequestError(
      `a container name must be specified for pod ${nameOfPod(pod)}, choose one of: [${names.join(" ")}]`,
    );
}

function refuse(pod: JsonObject, tools: ConnectTools, what: string): never {
  const name = stringAt(objectAt(pod, "spec"), "nodeName");
  const node = tools.find(nodes, name);
  // Upstream names the wrong resource here.
  if (!node) throw notFoundError({ group: "", resource: "pods" }, name);
  preferredAddress(node);
  throw failure(
    501,
    "NotImplemented",
    `${what} pod ${nameOfPod(pod)}: this server has no kubelets; run the pod on a cluster that has`,
  );
}

const stream =
  (what: string): ConnectHandler =>
  async (pod, _body, _context, tools) => {
    if (what !== "forward ports of") assertContainer(pod, tools.query("container"));
    if (!stringAt(objectAt(pod, "spec"), "nodeName"))
      throw badRequestError(`pod ${nameOfPod(pod)} does not have a host assigned`);
    return refuse(pod, tools, what);
  };

/** By subresource. */
export const podStreams: Readonly<
  Record<"attach" | "exec" | "log" | "portforward", ConnectHandler>
> = {
  attach: stream("attach to"),
  exec: stream("run a command in"),
  portforward: stream("forward ports of"),
  // A pod without a node has written nothing yet.
  async log(pod, _body, _context, tools) {
    const errors = logOptionErrors(tools);
    if (errors.length)
      throw invalidError({ group: "", kind: "PodLogOptions" }, nameOfPod(pod), errors);
    assertContainer(pod, tools.query("container"));
    return stringAt(objectAt(pod, "spec"), "nodeName")
      ? refuse(pod, tools, "read the log of")
      : { status: 204, text: "" };
  },
};

function logOptionErrors(tools: ConnectTools): FieldError[] {
  const [tail, limit, since] = ["tailLines", "limitBytes", "sinceSeconds"].map((field) =>
    tools.integer(field),
  );
  const tooSmall = (field: string, value: number | undefined): FieldError[] =>
    value !== undefined && value < 1 ? [invalid(field, value, "must be greater than 0")] : [];
  return [
    ...(tail !== undefined && tail < 0
      ? [invalid("tailLines", tail, "must be greater than or equal to 0")]
      : []),
    ...tooSmall("limitBytes", limit),
    ...(since !== undefined && tools.query("sinceTime") !== undefined
      ? [forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")]
      : tooSmall("sinceSeconds", since)),
  ];
}

/** `pods/proxy`: the pod's own address. */
export const proxyToPod: ProxyHandler = async (requested, tools) => {
  const { name } = splitTarget(requested, "pod");
  const pod = tools.find({ group: "", resource: "pods" }, name);
  if (!pod) throw notFoundError({ group: "", resource: "pods" }, name);
  const status = objectAt(pod, "status");
  assertReachable(stringAt(itemsAt(status, "podIPs")[0] ?? {}, "ip") || stringAt(status, "podIP"));
  throw failure(
    501,
    "NotImplemented",
    `proxy to pod ${name}: this server does not reach the network of pods`,
  );
};
