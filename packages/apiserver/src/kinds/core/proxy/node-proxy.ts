// nodes/proxy: reaches the kubelet of a node, or another port of the node.
// Upstream: k8s.io/kubernetes/pkg/registry/core/node/strategy.go (ResourceLocation).
import { failure, notFoundError } from "../../../apimachinery/errors/api-errors.ts";
import type { ProxyHandler } from "../../../apimachinery/rest/connecter.ts";
import { parseIpSloppy } from "../../validation/ip-addresses.ts";
import { assertReachable, preferredAddress, splitTarget } from "./proxy-target.ts";

const nodes = { group: "", resource: "nodes" } as const;

/** Checks the target as upstream does, then refuses. Does not resolve host names. */
export const proxyToNode: ProxyHandler = async (requested, tools) => {
  const { name } = splitTarget(requested, "node");
  const node = tools.find(nodes, name);
  if (!node) throw notFoundError(nodes, name);
  const host = preferredAddress(node);
  if (parseIpSloppy(host)) assertReachable(host);
  throw failure(
    501,
    "NotImplemented",
    `proxy to node ${name}: this server does not reach the network of nodes`,
  );
};
