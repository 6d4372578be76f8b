// The service under which workloads find the API server. Upstream's target port is the one that the server listens on, which
// is not known before it listens; here it is upstream's default. Endpoints belong to a server with an address of its own in
// the cluster, and are left out.
// Upstream: k8s.io/kubernetes/pkg/controlplane/controller/kubernetesservice/controller.go.
import type { JsonObject } from "homeostat/api";

const securePort = 6443;

/** Has the service created; `create` decides what an existing one means. */
export async function bootstrapService(create: (service: JsonObject) => Promise<unknown>): Promise<void> {
  await create({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.0.0.1", ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: securePort }], sessionAffinity: "None", type: "ClusterIP" },
  });
}
