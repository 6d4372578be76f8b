// Whether a 404 was about the object itself, or about its kind or subresource.
import type { Kind } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import type { Client } from "../client/client.ts";

/** True when no object of this uid exists. */
export async function isReplaced(
  client: Pick<Client, "find">,
  kind: Kind,
  { name, namespace, uid }: ObjectKey & { readonly uid: string },
): Promise<boolean> {
  const found = (await client.find(kind, { name, namespace })) as KubeObject | undefined;
  return found?.metadata.uid !== uid;
}
