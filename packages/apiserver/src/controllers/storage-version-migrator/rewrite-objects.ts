// Rewrites the objects of a resource, so that each is stored in the storage version: an apply
// without fields stores an object anew if it lies in another version.
// Upstream: runMigration in
// k8s.io/kubernetes/pkg/controller/storageversionmigrator/storageversionmigrator.go.
import {
  compareResourceVersions,
  isApiStatusError,
  isConflict,
  metadataOf,
  type MetadataObject,
} from "homeostat/api";
import type { Client, DiscoveredKind } from "homeostat/client";

const fieldManager = "storage-version-migrator-controller";
const retried = [
  "ServerTimeout",
  "TooManyRequests",
  "ServiceUnavailable",
  "InternalError",
  "Timeout",
];

/** Resolves to a refusal that a retry does not mend. Objects newer than `revision` are skipped. */
export async function rewriteObjects(
  client: Client,
  kind: DiscoveredKind,
  revision: string,
): Promise<string | undefined> {
  const { items } = await client.list(metadataOf(kind));
  for (const object of items) {
    if (compareResourceVersions(object.metadata.resourceVersion, revision)! > 0) continue;
    const refusal = await rewrite(client, kind, object);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A conflict means that the object was written or deleted, hence needs no migration. */
async function rewrite(
  client: Client,
  kind: DiscoveredKind,
  { metadata: { name, namespace, uid, resourceVersion } }: MetadataObject,
): Promise<string | undefined> {
  const metadata = { name, ...(namespace ? { namespace } : {}), uid, resourceVersion };
  try {
    await client.applyUnread(kind, { metadata }, { fieldManager });
  } catch (error) {
    if (isConflict(error)) return undefined;
    if (!isApiStatusError(error) || retried.includes(error.status.reason ?? "")) throw error;
    return error.status.message ?? error.message;
  }
  return undefined;
}
