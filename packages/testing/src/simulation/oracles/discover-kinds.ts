// The kinds of a server, found by discovery.
import type { Client } from "homeostat/client";

/** A kind that the server stores. */
export interface ListedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The plural name, such as `orders`. */
  readonly resource: string;
  /** Of its list over all namespaces. */
  readonly path: string;
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly {
      readonly resource: string;
      readonly responseKind?: { readonly kind?: string };
      readonly verbs: readonly string[];
    }[];
  }[];
}

/** They come and go with every process, and say nothing of the end. */
const reports = new Set(["events", "leases"]);

/** The kinds that can be watched, each in the version that the server prefers. */
export async function discoverKinds(client: Client): Promise<readonly ListedKind[]> {
  const groups = await Promise.all(["/api", "/apis"].map((path) => discover(client, path)));
  return groups.flat().flatMap(({ metadata, versions }) => {
    const [preferred] = versions;
    if (!preferred) return [];
    const group = metadata?.name ?? "";
    const apiVersion = group === "" ? preferred.version : `${group}/${preferred.version}`;
    const root = group === "" ? "/api" : "/apis";
    return preferred.resources
      .filter(({ resource, verbs }) => verbs.includes("watch") && !reports.has(resource))
      .map(({ resource, responseKind }) => ({
        apiVersion,
        kind: responseKind?.kind ?? resource,
        resource,
        path: `${root}/${apiVersion}/${resource}`,
      }));
  });
}

async function discover(client: Client, path: string): Promise<readonly DiscoveredGroup[]> {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const answer = await client.request({ method: "GET", path, headers: { accept } });
  return (answer.json() as unknown as { items?: readonly DiscoveredGroup[] }).items ?? [];
}

/** The revision of the server's last write. */
export async function currentRevision(client: Client): Promise<string> {
  const answer = await client.request({ method: "GET", path: "/api/v1/namespaces?limit=1" });
  const { metadata } = answer.json() as unknown as {
    readonly metadata: { readonly resourceVersion: string };
  };
  return metadata.resourceVersion;
}
