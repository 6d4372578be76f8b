// The subresources that upstream forwards to a kubelet or a container: log, exec, attach,
// portforward, proxy. Answers what upstream answers without them, and 501 beyond that.
// Upstream: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go (LogLocation, streamLocation,
// ResourceLocation, validateContainer).
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import {
  badRequestError,
  failure,
  invalidError,
  notFoundError,
} from "../../../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import type {
  ConnectHandler,
  ConnectTools,
  ProxyHandler,
} from "../../../../apimachinery/rest/connecter.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { assertReachable, preferredAddress, splitTarget } from "../../proxy/proxy-target.ts";
import { visitContainers } from "../containers/visit-containers.ts";

const nodes = { group: "", resource: "nodes" } as const;

const nameOfPod = (pod: Decoded<Pod>): string => metadataOf(pod).name ?? "";

/** Refuses a container that the pod does not have, or none where the pod has several. */
function assertContainer(pod: Decoded<Pod>, container: string | undefined): void {
  const spec = pod.spec ?? {};
  const names = visitContainers(spec, "", (each) => [each.name ?? ""]);
  if (container) {
    if (!names.includes(container))
      throw badRequestError(`container ${container} is not valid for pod ${nameOfPod(pod)}`);
  } else if ((spec.containers?.length ?? 0) > 1)
    throw badRequestError(
      `a container name must be specified for pod ${nameOfPod(pod)}, choose one of: [${names.join(" ")}]`,
    );
}

function refuse(pod: Decoded<Pod>, tools: ConnectTools, what: string): never {
  const name = pod.spec?.nodeName ?? "";
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
  async (pod: Decoded<Pod>, _body, _context, tools) => {
    if (what !== "forward ports of") assertContainer(pod, tools.query("container"));
    if (!pod.spec?.nodeName)
      throw badRequestError(`pod ${nameOfPod(pod)} does not have a host assigned`);
    return refuse(pod, tools, what);
  };

/** The handlers by subresource. */
export const podStreams: Readonly<
  Record<"attach" | "exec" | "log" | "portforward", ConnectHandler>
> = {
  attach: stream("attach to"),
  exec: stream("run a command in"),
  portforward: stream("forward ports of"),
  // The log of a pod without a node is empty.
  async log(pod: Decoded<Pod>, _body, _context, tools) {
    const errors = logOptionErrors(tools);
    if (errors.length)
      throw invalidError({ group: "", kind: "PodLogOptions" }, nameOfPod(pod), errors);
    assertContainer(pod, tools.query("container"));
    return pod.spec?.nodeName ? refuse(pod, tools, "read the log of") : { status: 204, text: "" };
  },
};

function logOptionErrors(tools: ConnectTools): FieldError[] {
  const [tail, limit, since] = (["tailLines", "limitBytes", "sinceSeconds"] as const).map((field) =>
    tools.integer(field),
  );
  const tooSmall = (field: string, value: number | undefined): FieldError[] =>
    errorIf(value !== undefined && value < 1, () =>
      fieldError.invalid(field, value, "must be greater than 0"),
    );
  return [
    ...errorIf(tail !== undefined && tail < 0, () =>
      fieldError.invalid("tailLines", tail, "must be greater than or equal to 0"),
    ),
    ...tooSmall("limitBytes", limit),
    ...(since !== undefined && tools.query("sinceTime") !== undefined
      ? [fieldError.forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")]
      : tooSmall("sinceSeconds", since)),
  ];
}

/** `pods/proxy`: checks the pod's address, and responds with 501. */
export const proxyToPod: ProxyHandler = async (requested, tools) => {
  const { name } = splitTarget(requested, "pod");
  const pod: Decoded<Pod> | undefined = tools.find({ group: "", resource: "pods" }, name);
  if (!pod) throw notFoundError({ group: "", resource: "pods" }, name);
  assertReachable(pod.status?.podIPs?.[0]?.ip || (pod.status?.podIP ?? ""));
  throw failure(
    501,
    "NotImplemented",
    `proxy to pod ${name}: this server does not reach the network of pods`,
  );
};
