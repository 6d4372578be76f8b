// Creates, renumbers and deletes ControllerRevisions. Decides nothing.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go (realHistory).
import { createObject } from "../meta/write-object.ts";
import { isAlreadyExists, isConflict, revisionHash, revisionName } from "homeostat/api";
import type { Client } from "homeostat/client";
import { isSameData, type NewRevision } from "./controller-revision.ts";
import { ControllerRevision } from "homeostat/k8s/apps/v1";

const attempts = 5;

/**
 * Creates a revision under a free name and resolves to it and to the number of collisions. An
 * existing revision with the same data is as good.
 */
export async function createRevision(
  client: Client,
  owner: string,
  wanted: NewRevision,
  collisions: number,
): Promise<{ readonly revision: ControllerRevision; readonly collisions: number }> {
  const namespace = wanted.metadata.namespace;
  for (let count = collisions; ; count += 1) {
    const name = revisionName(owner, revisionHash(wanted.data, count));
    try {
      return {
        revision: await createObject(client, ControllerRevision, {
          ...wanted,
          metadata: { ...wanted.metadata, name },
        }),
        collisions: count,
      };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.get(ControllerRevision, { name, namespace });
    if (isSameData(found.data, wanted.data)) return { revision: found, collisions: count };
  }
}

/** Sets the number of a revision, retrying conflicts. */
export async function renumberRevision(
  client: Client,
  revision: ControllerRevision,
  to: number,
): Promise<ControllerRevision> {
  const { name, namespace } = revision.metadata;
  let latest = revision;
  for (let left = attempts; ; left -= 1) {
    if (latest.revision === to) return latest;
    try {
      return await client.update(ControllerRevision, { ...latest, revision: to });
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw error;
      latest = await client.get(ControllerRevision, { name, namespace });
    }
  }
}

/** Deletes a revision. */
export async function deleteRevision(
  client: Client,
  { metadata: { name, namespace } }: ControllerRevision,
): Promise<void> {
  await client.delete(ControllerRevision, { name, namespace });
}
