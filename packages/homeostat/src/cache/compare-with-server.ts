// The periodic comparison of a cache with the server: lists the server's objects at the cache's
// revision. Any difference is a fault of server, network or this program, and causes a relist.
// Upstream: k8s.io/client-go/util/consistencydetector, which compares a streamed list once.
import { scanMetadata } from "../api/scan-metadata.ts";
import { isExpired } from "../api/status.ts";
import type { Kind } from "../api/kind.ts";
import type { Client } from "../client/client.ts";
import { askForMetadata, listRequest } from "../client/request/object-requests.ts";
import type { Comparison } from "./comparison.ts";
import type { InformerScope } from "./informer.ts";
import { splitList } from "./split-list.ts";

const keysShown = 10;
const pageSize = 500;

/** A cache at one revision. */
export interface CacheSnapshot {
  readonly kind: Kind;
  readonly scope: InformerScope;
  /** Undefined before the first list. */
  readonly resourceVersion: string | undefined;
  readonly entries: Iterable<{ readonly key: string; readonly resourceVersion: string }>;
}

/** Compares a cache with the server's objects at the same revision. */
export async function compareWithServer(
  client: Client,
  { kind, scope, resourceVersion, entries }: CacheSnapshot,
): Promise<Comparison> {
  if (resourceVersion === undefined) return inconclusive(0);
  const revisions = new Map(Array.from(entries, (one) => [one.key, one.resourceVersion] as const));
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
        const here = revisions.get(key);
        revisions.delete(key);
        if (here === undefined) missing.push(key);
        else if (here !== scanned.resourceVersion) different.push(key);
      }
      token = page?.continue ?? "";
    } while (token);
  } catch (error) {
    if (isExpired(error)) return inconclusive(compared);
    throw error;
  }
  return {
    conclusive: true,
    compared,
    missing: missing.slice(0, keysShown),
    extra: [...revisions.keys()].slice(0, keysShown),
    different: different.slice(0, keysShown),
  };
}

function inconclusive(compared: number): Comparison {
  return { conclusive: false, compared, missing: [], extra: [], different: [] };
}

/** Describes the differences in one sentence; undefined without differences. */
export function describeComparison({ missing, extra, different }: Comparison): string | undefined {
  const parts = [
    ["missing", missing],
    ["deleted", extra],
    ["at another revision", different],
  ].flatMap(([what, keys]) =>
    keys!.length ? [`${what as string}: ${(keys as readonly string[]).join(", ")}`] : [],
  );
  return parts.length ? `the cache differed from the server (${parts.join("; ")})` : undefined;
}
