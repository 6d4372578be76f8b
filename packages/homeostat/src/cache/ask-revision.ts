// The revision that a server counts now, by the smallest list there is.
import type { Kind } from "../api/kind.ts";
import type { Client } from "../client/client.ts";
import { askForMetadata, listRequest } from "../client/request/object-requests.ts";
import type { InformerScope } from "./informer.ts";
import { splitList } from "./split-list.ts";

/** Undefined without an answer: the watch itself shows what the server cannot answer. */
export async function askRevision(
  client: Client,
  kind: Kind,
  scope: InformerScope,
): Promise<string | undefined> {
  try {
    const { body } = await client.request(
      askForMetadata(listRequest(kind, { ...scope, limit: 1 }), "list"),
    );
    return splitList(body)?.resourceVersion;
  } catch {
    return undefined;
  }
}
