// The rights to the Leases by which replicas elect a leader or share the objects.
import type { ManagerOptions } from "../manager-options.ts";
import type { Right } from "./policy-rule.ts";

/** Rights in the namespace of the Leases. */
export interface LeaseRights {
  readonly namespace: string;
  readonly rights: readonly Right[];
}

const leases = { group: "coordination.k8s.io", resource: "leases" };

/** @param names that of the operator, and the namespace where it runs */
export function leaseRights(
  { election, sharding }: Pick<ManagerOptions, "election" | "sharding">,
  names: { readonly operator: string | undefined; readonly namespace: string },
): LeaseRights | undefined {
  // election/ring/ring-member.ts; the names of members' Leases are random.
  if (sharding)
    return {
      namespace: sharding.namespace ?? names.namespace,
      rights: [{ ...leases, verbs: ["list", "watch", "create", "update", "delete"] }],
    };
  if (!election) return undefined;
  const name = election.name ?? names.operator;
  return {
    namespace: election.namespace ?? names.namespace,
    rights: [
      // election/elector.ts; a creation has no name in its path, so that RBAC knows none.
      {
        ...leases,
        verbs: ["get", "watch", "update"],
        names: name === undefined ? undefined : [name],
      },
      { ...leases, verbs: ["create"] },
      // manager/election/leadership.ts: Events on the Lease.
      { group: "", resource: "events", verbs: ["create", "patch"] },
    ],
  };
}
