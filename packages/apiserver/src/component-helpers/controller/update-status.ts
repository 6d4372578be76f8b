// Writes the status of an object that others may be writing to.
// Upstream: the updateStatus functions of the controllers under k8s.io/kubernetes/pkg/controller.
import { isConflict, isNotFound, type Kind } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { ApiObject } from "../meta/api-object.ts";

/** What to write, and how often. */
export interface StatusUpdate<O> {
  /** The status for the latest revision of the object. */
  readonly status: (latest: O) => object;
  /** Attempts before a conflict is reported; default 2. */
  readonly attempts?: number;
}

/** Updates the status on the latest revision. Does nothing when the object no longer exists. */
export async function updateStatus<O extends ApiObject>(
  client: Client,
  kind: Kind<O>,
  object: O,
  { status, attempts = 2 }: StatusUpdate<O>,
): Promise<void> {
  const { name, namespace, uid } = object.metadata;
  let latest: O | undefined = object;
  for (let left = attempts; latest?.metadata.uid === uid; left -= 1) {
    try {
      await client.update(kind, { ...latest, status: status(latest) }, { subresource: "status" });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || left <= 1) throw error;
    }
    latest = await client.find(kind, { name, namespace });
  }
}
