// What the aggregator knows of one APIService with a service. Pure.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_proxy.go (proxyHandlingInfo).
import type { Decoded, JsonObject } from "homeostat/api";
import type { APIService } from "homeostat/k8s/apiregistration/v1";
import type { UserInfo } from "../apimachinery/user-info.ts";

/** One group and version that another server serves. */
export interface RemoteApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly caBundle: string | undefined;
  readonly insecureSkipTLSVerify: boolean;
  readonly available: boolean;
}

/** Undefined for an APIService of this server. */
export function toRemote(name: string, object: Decoded<APIService>): RemoteApiService | undefined {
  const { spec, status } = object;
  if (!spec?.service?.name) return undefined;
  const { namespace = "", name: service, port } = spec.service;
  return {
    name,
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: Number(spec.groupPriorityMinimum ?? 0),
    versionPriority: Number(spec.versionPriority ?? 0),
    service: { namespace: namespace ?? "", name: service, port: Number(port ?? 443) },
    caBundle: spec.caBundle ?? undefined,
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify === true,
    available: (status?.conditions ?? []).some(
      (condition) => condition.type === "Available" && condition.status === "True",
    ),
  };
}

/** The path below which an APIService is served. */
export const pathOf = ({ group, version }: { group: string; version: string }): string =>
  group ? `/apis/${group}/${version}` : `/api/${version}`;

/** The headers that state the user; those that the client sent under these names are dropped. */
export function userHeaders({
  name,
  uid,
  groups,
  extra,
}: UserInfo): Record<string, string | readonly string[]> {
  return {
    "x-remote-user": name,
    ...(uid ? { "x-remote-uid": uid } : {}),
    ...(groups.length ? { "x-remote-group": groups } : {}),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [
        `x-remote-extra-${escapeKey(key)}`,
        values,
      ]),
    ),
  };
}

/** A key as a header name: every byte that a name cannot have is escaped. */
const escapeKey = (key: string): string =>
  Array.from(Buffer.from(key), (byte) => {
    const letter = String.fromCharCode(byte);
    const isPlain = byte < 0x80 && /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(letter);
    return isPlain ? letter : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

/** An APIResourceList as one version of aggregated discovery. */
export function toVersionDiscovery(version: string, list: JsonObject): JsonObject {
  const all = Array.isArray(list.resources) ? (list.resources as JsonObject[]) : [];
  const entryOf = (resource: JsonObject): JsonObject => ({
    responseKind: {
      group: resource.group ?? "",
      version: resource.version ?? "",
      kind: resource.kind ?? "",
    },
    verbs: resource.verbs ?? [],
  });
  const resources = all
    .filter(({ name }) => !String(name).includes("/"))
    .map((resource): JsonObject => {
      const prefix = `${String(resource.name)}/`;
      const subresources = all
        .filter(({ name }) => String(name).startsWith(prefix))
        .map((each) => ({
          subresource: String(each.name).slice(prefix.length),
          ...entryOf(each),
        }));
      const { responseKind, verbs } = entryOf(resource);
      return {
        resource: resource.name ?? "",
        responseKind: responseKind!,
        scope: resource.namespaced ? "Namespaced" : "Cluster",
        singularResource: resource.singularName ?? "",
        verbs: verbs!,
        ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories ? { categories: resource.categories } : {}),
        ...(subresources.length ? { subresources } : {}),
      };
    });
  return { version, resources };
}
