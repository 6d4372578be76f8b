// Writes revisions: makes one under a name that is free, numbers it anew, deletes it. Decides
// nothing.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go (realHistory).
import { createObject } from "../meta/write-object.ts";
import { isAlreadyExists, isConflict } from "homeostat/api";
import type { Client } from "homeostat/client";
import { isSameData, type NewRevision, revisionHash, revisionName } from "./controller-revision.ts";
import { ControllerRevision } from "homeostat/k8s/apps/v1";

const attempts = 5;

/**
 * Makes a revision, and resolves to it and to how many names were taken by now. One that says the
 * same is as good as a new one.
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

/** Gives a revision another number. */
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
