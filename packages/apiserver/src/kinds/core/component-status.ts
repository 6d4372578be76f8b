// ComponentStatuses: the health of etcd, scheduler and controller manager at the time of the read.
// In this server the store is built in, and upstream's ports of scheduler and controller manager
// are closed.
// Upstream: k8s.io/kubernetes/pkg/registry/core/componentstatus/rest.go,
// pkg/registry/core/rest/storage_core.go.
import type { Decoded, Json } from "homeostat/api";
import type { ComponentStatus } from "homeostat/k8s/core/v1";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nameOf } from "../printers/cells.ts";

export const componentStatus: KindDefinition<Decoded<ComponentStatus>> = {
  ...gvk("v1", "ComponentStatus"),
  observed: () => [
    statusOf("scheduler", "False", "not part of this server"),
    statusOf("controller-manager", "False", "not part of this server"),
    statusOf("etcd-0", "True", "ok"),
  ],
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
  cells,
};

const statusOf = (name: string, status: string, message: string): Decoded<ComponentStatus> => ({
  metadata: { name },
  conditions: [{ type: "Healthy", status, message }],
});

function cells(object: Decoded<ComponentStatus>): readonly Json[] {
  const healthy = object.conditions?.find(({ type }) => type === "Healthy") ?? {};
  const shown: Readonly<Record<string, string>> = { True: "Healthy", False: "Unhealthy" };
  return [
    nameOf(object),
    shown[healthy.status ?? ""] ?? "Unknown",
    healthy.message ?? "",
    healthy.error ?? "",
  ];
}
