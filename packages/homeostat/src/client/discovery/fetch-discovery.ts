// Fetches the server's kinds: aggregated discovery in two requests, or group by group from older
// servers. Groups whose server is down are omitted, as upstream does.
// Upstream: k8s.io/api/apidiscovery/v2, k8s.io/client-go/discovery (aggregated_discovery.go,
// discovery_client.go).
import type { JsonObject } from "../../api/json.ts";
import type { ApiRequest, ApiResponse } from "../client.ts";
import type { DiscoveredKind } from "./kind-resolver.ts";

const aggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

type Send = (request: ApiRequest) => Promise<ApiResponse>;

type Listed = "verbs" | "shortNames" | "categories";

interface WireResource extends Partial<Pick<DiscoveredKind, Listed>> {
  readonly resource?: string;
  readonly name?: string;
  readonly responseKind?: {
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
  };
  readonly kind?: string;
  readonly scope?: string;
  readonly namespaced?: boolean;
  readonly singularResource?: string;
  readonly singularName?: string;
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** What the server serves, as far as it can tell. */
export interface Discovery {
  /** Every kind of every version, core first, preferred versions first within a group. */
  readonly kinds: readonly DiscoveredKind[];
  /** Group versions whose server is down. */
  readonly unavailable: readonly string[];
}

export async function fetchDiscovery(send: Send): Promise<Discovery> {
  return join(await Promise.all([fetchRoot(send, "/api"), fetchRoot(send, "/apis")]));
}

const join = (parts: readonly Discovery[]): Discovery => ({
  kinds: parts.flatMap(({ kinds }) => kinds),
  unavailable: parts.flatMap(({ unavailable }) => unavailable),
});

async function fetchRoot(send: Send, path: "/api" | "/apis"): Promise<Discovery> {
  const response = await send({ method: "GET", path, headers: { accept: aggregated } });
  const body = response.json() as unknown as { readonly kind: string } & JsonObject;
  if (body.kind === "APIGroupDiscoveryList") return readAggregated(body);
  const groupVersions =
    body.kind === "APIVersions" ? (body["versions"] as string[]) : readGroups(body);
  return join(
    await Promise.all(
      groupVersions.map((groupVersion) => fetchGroupVersion(send, path, groupVersion)),
    ),
  );
}

function readAggregated(body: JsonObject): Discovery {
  const groups = body["items"] as unknown as readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly WireResource[];
    }[];
  }[];
  const parts = groups.flatMap(({ metadata, versions = [] }) =>
    versions.map(({ version, freshness, resources = [] }): Discovery => {
      const group = metadata?.name ?? "";
      if (freshness === "Stale") return unavailable(toApiVersion(group, version));
      return {
        kinds: resources.map((wire) => readResource(group, version, wire)),
        unavailable: [],
      };
    }),
  );
  return join(parts);
}

const unavailable = (groupVersion: string): Discovery => ({
  kinds: [],
  unavailable: [groupVersion],
});

const toApiVersion = (group: string, version: string): string =>
  group ? `${group}/${version}` : version;

/** All versions of all groups, the preferred one of each group first. */
function readGroups(body: JsonObject): readonly string[] {
  const groups = body["groups"] as unknown as readonly {
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
  return groups.flatMap(({ versions, preferredVersion }) => {
    const all = versions.map((version) => version.groupVersion);
    return preferredVersion
      ? [
          preferredVersion.groupVersion,
          ...all.filter((version) => version !== preferredVersion.groupVersion),
        ]
      : all;
  });
}

async function fetchGroupVersion(
  send: Send,
  root: string,
  groupVersion: string,
): Promise<Discovery> {
  try {
    const body = (
      await send({ method: "GET", path: `${root}/${groupVersion}` })
    ).json() as unknown as { readonly resources: readonly WireResource[] };
    const slash = groupVersion.indexOf("/");
    const group = slash < 0 ? "" : groupVersion.slice(0, slash);
    const kinds = joinSubresources(group, groupVersion.slice(slash + 1), body.resources);
    return { kinds, unavailable: [] };
  } catch {
    return unavailable(groupVersion);
  }
}

/** Unaggregated discovery lists `pods/status` beside `pods`. */
function joinSubresources(
  group: string,
  version: string,
  wires: readonly WireResource[],
): readonly DiscoveredKind[] {
  const own = wires.filter((wire) => !wire.name!.includes("/"));
  return own.map((wire) => {
    const prefix = `${wire.name}/`;
    const subresources = wires
      .filter((other) => other.name!.startsWith(prefix))
      .map((other) => ({ subresource: other.name!.slice(prefix.length) }));
    return readResource(group, version, { ...wire, subresources });
  });
}

function readResource(group: string, version: string, wire: WireResource): DiscoveredKind {
  const kind: Omit<DiscoveredKind, "~types"> = {
    group,
    version,
    apiVersion: toApiVersion(group, version),
    kind: wire.responseKind?.kind ?? wire.kind ?? "",
    resource: wire.resource ?? wire.name ?? "",
    scope: wire.scope === "Namespaced" || wire.namespaced === true ? "Namespaced" : "Cluster",
    verbs: wire.verbs ?? [],
    shortNames: wire.shortNames ?? [],
    categories: wire.categories ?? [],
    singular:
      wire.singularResource ||
      wire.singularName ||
      (wire.responseKind?.kind ?? wire.kind ?? "").toLowerCase(),
    subresources: (wire.subresources ?? []).map(({ subresource }) => subresource),
  };
  return kind as DiscoveredKind;
}
