// Children that owner references do not reach and that no informer shows: their namespace, or they
// themselves, are not or no longer what the manager watches. Absence from the cache says nothing
// about them, so they are looked up on the server before their owner goes.
import { parseApiVersion } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { isForbidden, isNotFound } from "../../api/status.ts";
import type { SubjectAccessReviewStatus } from "../../k8s/authorization/v1/models.ts";
import { ownerUidSelector } from "./back-reference.ts";
import { ownError } from "./own-error.ts";
import type { OwnedSet } from "./owned-set.ts";

/** How children that no informer shows are looked up. */
export interface UncoveredOptions {
  /**
   * The owner has its finalizer for children in other namespaces alone, so that there have been
   * some.
   */
  readonly hasOwnedElsewhere: boolean;
  /** Says, once for each kind, where nobody looks for children. */
  unseen(message: string): void;
}

/**
 * The objects that carry the label of the owner, as the server has them; none where the informers
 * show all.
 * @throws ERR_OWN_UNCOVERED when this user may not list them
 */
export async function lookUpUncovered(
  set: OwnedSet,
  { hasOwnedElsewhere, unseen: say }: UncoveredOptions,
): Promise<readonly KubeObject[]> {
  const { owner, kind, namespaces } = set;
  if (owner.metadata.namespace === undefined) return [];
  const isSelected = hasSelector(set);
  if (kind.scope === "Cluster") return isSelected ? listOrRefuse(set, undefined) : [];
  const { extent } = namespaces;
  if (extent === "all" || extent === "matching")
    return isSelected || extent === "matching" ? listOrRefuse(set, undefined) : [];
  const unseen = isSelected ? extent : extent.filter((one) => !namespaces.includes(one));
  if (unseen.length === 0 && !hasOwnedElsewhere) return [];
  // Other namespaces may have been watched by an earlier process, with other rights.
  if (await mayListAll(set)) return listOrRefuse(set, undefined);
  if (set.memory.isFirstUnseen(kind)) say(describeUnseen(set));
  const found: KubeObject[] = [];
  for (const namespace of unseen) found.push(...(await listOrRefuse(set, namespace)));
  return found;
}

function hasSelector({ informer: { scope } }: OwnedSet): boolean {
  return scope.labelSelector !== undefined || scope.fieldSelector !== undefined;
}

/**
 * Asked, because rights limited to namespaces are the rule there, and a refused request looks like
 * an attack to who reads the audit log. Every user may ask (system:basic-user).
 */
async function mayListAll({ client, kind }: OwnedSet): Promise<boolean> {
  const { group } = parseApiVersion(kind.apiVersion)!;
  const apiVersion = "authorization.k8s.io/v1";
  const resourceAttributes = { verb: "list", group, resource: kind.resource };
  try {
    const response = await client.request({
      method: "POST",
      path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
      body: { apiVersion, kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
    });
    const { status } = response.json() as { readonly status?: SubjectAccessReviewStatus };
    return status?.allowed === true;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return false;
    throw error;
  }
}

const describeUnseen = ({ kind, namespaces: { description } }: OwnedSet): string =>
  `${kind.kind} objects outside of ${description} are not looked for when their owner is deleted, because this user may not list ${kind.resource} in all namespaces: if an earlier process has made some there, delete them by hand (kubectl get ${kind.resource} -A -l homeostat.dev/owner-uid)`;

/** Undefined when this user may not; a kind that is not served has no objects. */
async function list(
  { client, kind, owner }: OwnedSet,
  namespace: string | undefined,
): Promise<readonly KubeObject[] | undefined> {
  try {
    const { items } = await client.list(kind, {
      namespace,
      labelSelector: ownerUidSelector(owner),
    });
    return items as readonly KubeObject[];
  } catch (error) {
    if (isNotFound(error)) return [];
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function listOrRefuse(
  set: OwnedSet,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  const found = await list(set, namespace);
  if (found) return found;
  const { kind } = set;
  const where = describePlace(kind, namespace);
  throw ownError(set, "ERR_OWN_UNCOVERED", {
    problem: `the finalizer stays, because children that this manager does not watch may exist, and it may not list ${kind.resource} ${where}`,
    hint: `allow it to list and delete ${kind.resource} ${where}`,
  });
}

function describePlace({ scope }: Kind, namespace: string | undefined): string {
  if (scope === "Cluster") return "in the cluster";
  return namespace === undefined ? "in all namespaces" : `in namespace ${namespace}`;
}
