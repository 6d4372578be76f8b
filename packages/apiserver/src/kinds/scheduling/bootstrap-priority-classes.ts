// The priority classes that a server has from its first second.
// Upstream: k8s.io/kubernetes/pkg/registry/scheduling/rest/storage_scheduling.go (AddSystemPriorityClasses).
import type { JsonObject } from "homeostat/api";
import { systemPriorityClasses } from "./priority-class.ts";

/** Has each class of the system created; `create` decides what an existing one means. */
export async function bootstrapPriorityClasses(create: (priorityClass: JsonObject) => Promise<unknown>): Promise<void> {
  for (const { name, value, description } of systemPriorityClasses) await create({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value, description });
}
