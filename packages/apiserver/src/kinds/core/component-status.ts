// ComponentStatuses: the health of what stands around an API server, asked for anew by every read.
// Here the store is a part of the server, and there is neither a scheduler nor a controller manager
// on the ports where upstream looks for them.
// Upstream: k8s.io/kubernetes/pkg/registry/core/componentstatus/rest.go,
// pkg/registry/core/rest/storage_core.go.
import type { Json, JsonObject } from "homeostat/api";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameOf } from "../printers/cells.ts";
import { itemsAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

export const componentStatus: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  observed: () => [
    statusOf("scheduler", "False", "not part of this server"),
    statusOf("controller-manager", "False", "not part of this server"),
    statusOf("etcd-0", "True", "ok"),
  ],
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
  cells,
};

const statusOf = (name: string, status: string, message: string): JsonObject => ({
  metadata: { name },
  conditions: [{ type: "Healthy", status, message }],
});

function cells(object: JsonObject): readonly Json[] {
  const healthy =
    itemsAt(object, "conditions").find((condition) => stringAt(condition, "type") === "Healthy") ??
    {};
  const shown: Readonly<Record<string, string>> = { True: "Healthy", False: "Unhealthy" };
  return [
    nameOf(object),
    shown[stringAt(healthy, "status")] ?? "Unknown",
    stringAt(healthy, "message"),
    stringAt(healthy, "error"),
  ];
}
