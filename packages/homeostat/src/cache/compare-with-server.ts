// The periodic look at the world: lists what the server held at the very revision that the cache
// stands at, and compares. Any difference is a fault of server, network or this program, and worth
// a new list.
// Upstream idea: k8s.io/client-go/util/watchlist consistency detector, which compares a streamed
// list once.
import { scanMetadata } from "../api/scan-metadata.ts";
import { isExpired } from "../api/status.ts";
import type { Kind } from "../api/kind.ts";
import type { Client } from "../client/client.ts";
import { askForMetadata, listRequest } from "../client/request/object-requests.ts";
import type { InformerScope } from "./informer.ts";
import { splitList } from "./split-list.ts";

/** What a comparison found; keys, at most {@link keysShown} of each. */
export interface Comparison {
  /** False when the server has forgotten the revision: nothing can be said. */
  readonly conclusive: boolean;
  readonly compared: number;
  /** On the server, not in the cache. */
  readonly missing: readonly string[];
  /** In the cache, not on the server. */
  readonly extra: readonly string[];
  /** In both, at different revisions. */
  readonly different: readonly string[];
}

const keysShown = 10;
const pageSize = 500;

/**
 * Compares `held` (key to resourceVersion), which is the cache at `resourceVersion`. `held` is used
 * up.
 */
export async function compareWithServer(
  client: Client,
  kind: Kind,
  scope: InformerScope,
  held: Map<string, string>,
  resourceVersion: string,
): Promise<Comparison> {
  const missing: string[] = [];
  const different: string[] = [];
  let compared = 0;
  let token = "";
  try {
    do {
      const at = token
        ? { continue: token }
        : { resourceVersion, resourceVersionMatch: "Exact" as const };
      const { body } = await client.request(
        askForMetadata(listRequest(kind, { ...scope, limit: pageSize, ...at }), "list"),
      );
      const page = splitList(body);
      for (const item of page?.items ?? []) {
        const scanned = scanMetadata(item);
        if (!scanned) continue;
        compared++;
        const key = scanned.namespace ? `${scanned.namespace}/${scanned.name}` : scanned.name;
        const here = held.get(key);
        held.delete(key);
        if (here === undefined) missing.push(key);
        else if (here !== scanned.resourceVersion) different.push(key);
      }
      token = page?.continue ?? "";
    } while (token);
  } catch (error) {
    if (isExpired(error))
      return { conclusive: false, compared, missing: [], extra: [], different: [] };
    throw error;
  }
  return {
    conclusive: true,
    compared,
    missing: missing.slice(0, keysShown),
    extra: [...held.keys()].slice(0, keysShown),
    different: different.slice(0, keysShown),
  };
}

/** One sentence for people, undefined when all is well. */
export function describeComparison({ missing, extra, different }: Comparison): string | undefined {
  const parts = [
    ["missing", missing],
    ["no longer there", extra],
    ["at another revision", different],
  ].flatMap(([what, keys]) =>
    keys!.length ? [`${what as string}: ${(keys as readonly string[]).join(", ")}`] : [],
  );
  return parts.length ? `the cache differed from the server (${parts.join("; ")})` : undefined;
}
