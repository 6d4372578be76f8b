// Fills the rules of aggregated cluster roles, such as `view`, from the roles that they select.
// Upstream:
// k8s.io/kubernetes/pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
import { ClusterRole } from "homeostat/k8s/rbac/v1";
import type { Start } from "../../component-helpers/controller/controller.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { aggregatedRules } from "./aggregated-rules.ts";

const fieldManager = "clusterrole-aggregation-controller";

/** Starts `clusterrole-aggregation`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(context, "the clusterrole-aggregation controller");
  const roles = controller.acquire(ClusterRole, {
    aggregated: ({ aggregationRule }) => (aggregationRule ? ["true"] : []),
  });
  // Any role may be part of any other.
  const addAggregated = (): void => {
    for (const { name } of roles.entriesByIndex("aggregated", "true")) controller.add(name);
  };
  controller.follow(roles, {
    added: addAggregated,
    updated: addAggregated,
    deleted: addAggregated,
  });
  return controller.start(async (name) => {
    const role = roles.get({ name });
    if (!role?.aggregationRule) return undefined;
    const rules = aggregatedRules(role, roles.list());
    if (deepEqual(rules, role.rules ?? [])) return undefined;
    const applied = { metadata: { name }, ...(rules.length ? { rules } : {}) };
    await context.client.applyUnread(ClusterRole, applied, { fieldManager, force: true });
    return undefined;
  });
};
