// The policy index of a server: read from the store when it is first asked, and following every
// change from then on, so that a request costs no scan.
// Upstream: the informers of rbac.authorization.k8s.io that kube-apiserver's authorizer lists from
// (k8s.io/kubernetes/pkg/kubeapiserver/authorizer/config.go).
import type { Decoded } from "homeostat/api";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "homeostat/k8s/rbac/v1";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import { followRevisions } from "../../registry/revisions/follow-revisions.ts";
import { splitStorageKey, storagePrefixOf } from "../../registry/revisions/storage-key.ts";
import { parseStored } from "../../registry/revisions/stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";
import { PolicyIndex } from "./policy-index.ts";

const group = "rbac.authorization.k8s.io";

/** Where the policy is stored. */
export interface PolicySource {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
}

/** The index, as of the newest acknowledged change. */
export interface StoredPolicy {
  index(): PolicyIndex;
  stop(): void;
}

/** Follows the stored roles and bindings from the first question on. */
export function createStoredPolicy({ store, catalog }: PolicySource): StoredPolicy {
  let opened: PolicyIndex | undefined;
  let stops: readonly (() => void)[] = [];
  function open(): PolicyIndex {
    const index = new PolicyIndex();
    stops = Object.entries(changes).flatMap(([resource, change]) => {
      const served = catalog.find(group, "v1", resource);
      if (!served) return [];
      return followRevisions(store, storagePrefixOf(served, ""), (revision) =>
        change(index, revision),
      );
    });
    return index;
  }
  return {
    index: () => (opened ??= open()),
    stop() {
      for (const stop of stops) stop();
    },
  };
}

const changes: Readonly<Record<string, (index: PolicyIndex, revision: Revision) => void>> = {
  roles: changeRole,
  clusterroles: changeRole,
  rolebindings: changeBinding,
  clusterrolebindings: changeBinding,
};

function changeRole(index: PolicyIndex, { key, type, bytes }: Revision): void {
  const { namespace, name } = splitStorageKey(key);
  if (type === "DELETED") index.deleteRole(namespace, name);
  else index.setRole(namespace, name, parseStored(bytes) as Decoded<Role> | Decoded<ClusterRole>);
}

function changeBinding(index: PolicyIndex, { key, type, bytes }: Revision): void {
  const { namespace, name } = splitStorageKey(key);
  if (type === "DELETED") index.deleteBinding(namespace, name);
  else
    index.setBinding(
      namespace,
      name,
      parseStored(bytes) as Decoded<RoleBinding> | Decoded<ClusterRoleBinding>,
    );
}
