// The namespaces that a server has from its first second.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/systemnamespaces, pkg/controlplane/instance.go.
import type { JsonObject } from "homeostat/api";

const names = ["kube-system", "kube-public", "kube-node-lease", "default"] as const;

/** Has each system namespace created; `create` decides what an existing one means. */
export async function bootstrapNamespaces(create: (namespace: JsonObject) => Promise<unknown>): Promise<void> {
  for (const name of names) await create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
}
