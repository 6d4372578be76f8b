// Serves the paths that are no resources: discovery in its forms, /version, health, the index of
// paths. Pure but for the cache by the catalog's epoch; knows no user and no object.
// Upstream: k8s.io/apiserver/pkg/endpoints/discovery, pkg/server/routes,
// k8s.io/kube-aggregator/pkg/apiserver.
import { createHash } from "node:crypto";
import { compareBytewise, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { plainText, textResponse } from "../apimachinery/text-response.ts";
import { indentJson } from "../registry/negotiation/indent-json.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import {
  type AcceptedDiscovery,
  acceptDiscovery,
  discoveryMediaTypes,
} from "./accept-discovery.ts";
import type { DiscoveryRequest } from "./discovery-request.ts";
import { apiGroupDiscoveryList } from "./aggregated-document.ts";
import { healthPaths, healthText } from "./health.ts";
import { versionDocument } from "../apimachinery/kubernetes-version.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy-documents.ts";
import { statusz, type StatuszOptions } from "./statusz.ts";
import { json, notAcceptable, refusal } from "./installed-route.ts";
import { writeDocument, writeStatus } from "./write-document.ts";
import { groupsOf, type RemoteVersions, type ServedGroup } from "./served-groups.ts";
import { type PublicIssuer, tokenMetadata, tokenMetadataPaths } from "./token-metadata.ts";

export interface DiscoveryOptions extends StatuszOptions {
  readonly catalog: ResourceCatalog;
  /** The address of this server as `host:port`. */
  readonly address: string;
  /** The issuer whose tokens clients may verify. */
  readonly issuer?: PublicIssuer;
  /** What other servers serve. */
  readonly remote?: RemoteVersions;
}

/** Answers the paths of discovery; undefined for every other path. */
export type Discovery = (request: DiscoveryRequest) => Promise<ApiResponse | undefined>;

/** A document and its forms. */
interface Found {
  readonly document: () => JsonObject;
  /** Present at /api and /apis. */
  readonly aggregated?: () => JsonObject;
  /** An installed route: it accepts GET only and refuses media types by name. */
  readonly routed: boolean;
}

/** Creates discovery over a catalog. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  let epoch = "";
  let groups: readonly ServedGroup[] = [];
  return async (request) => {
    const plain =
      plainResponse(request, options) ??
      (options.issuer && tokenMetadata(request, options.issuer, options));
    if (plain) return plain;
    const isIndex = request.path === "/" || request.path === "/index.html";
    if (!/^\/apis?(?:\/|$)/.test(request.path) && !isIndex) return undefined;
    const newest = `${options.catalog.epoch} ${options.remote?.epoch ?? 0}`;
    if (epoch !== newest) {
      groups = groupsOf(options.catalog, options.remote);
      epoch = newest;
    }
    if (isIndex) return json(200, indentJson(JSON.stringify({ paths: indexOf(groups) })));
    const found = find(groups, request.path, options.address);
    return found && documentResponse(found, request, options);
  };
}

function plainResponse(
  request: DiscoveryRequest,
  options: DiscoveryOptions,
): ApiResponse | undefined {
  const { path, query } = request;
  const health = healthText(path, query);
  const isCheck = /^\/[^/]+\/./.test(path);
  if (health !== undefined) return isCheck ? plainText(200, health) : textResponse(200, health);
  const status = statusz(request, options);
  if (status) return status;
  if (path !== "/version" && path !== "/version/") return undefined;
  return refusal(request, ["application/json"], options.protobuf) ?? json(200, versionDocument);
}

function find(groups: readonly ServedGroup[], path: string, address: string): Found | undefined {
  const parts = path.replace(/\/$/, "").slice(1).split("/");
  const legacy = parts[0] === "api";
  if (parts.length > (legacy ? 2 : 3) || parts.includes("")) return undefined;
  const named = groups.filter((group) => legacy === (group.name === ""));
  if (parts.length === 1) {
    const document = legacy ? () => apiVersions(address) : () => apiGroupList(groups);
    // Upstream handles the path with a slash without the aggregator's discovery.
    if (path === "/apis/") return { document, routed: false };
    return { document, aggregated: () => apiGroupDiscoveryList(named), routed: legacy };
  }
  const group = named.find((each) => legacy || each.name === parts[1]);
  if (!group) return undefined;
  if (!legacy && parts.length === 2) return { document: () => apiGroup(group), routed: false };
  const version = group.versions.find((each) => each.version === parts.at(-1));
  return (
    version && {
      document: () => apiResourceList(group.name, version),
      routed: version.resources.some(({ routing }) => routing === "installed"),
    }
  );
}

function documentResponse(
  found: Found,
  request: DiscoveryRequest,
  options: DiscoveryOptions,
): ApiResponse {
  const refused = found.routed
    ? refusal(request, discoveryMediaTypes, options.protobuf)
    : undefined;
  if (refused) return refused;
  const accepted = acceptDiscovery(request.accept, found.aggregated !== undefined);
  if (!accepted) return writeStatus(notAcceptable(discoveryMediaTypes), request, options.protobuf);
  if (accepted.aggregated && found.aggregated)
    return tagged(found.aggregated(), accepted, request, options);
  const { mediaType, body } = writeDocument(found.document(), accepted, request, options.protobuf);
  return { status: 200, headers: { "content-type": mediaType }, body };
}

/** Answers an aggregated document with an ETag, or 304 if the client has it. */
function tagged(
  document: JsonObject,
  accepted: AcceptedDiscovery,
  request: DiscoveryRequest,
  options: DiscoveryOptions,
): ApiResponse {
  const etag = `"${createHash("sha512").update(JSON.stringify(document)).digest("hex").toUpperCase()}"`;
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (request.ifNoneMatch === etag) return { status: 304, headers, body: new Uint8Array(0) };
  const { mediaType, body } = writeDocument(document, accepted, request, options.protobuf);
  return {
    status: 200,
    headers: {
      ...headers,
      "content-type": `${mediaType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    },
    body,
  };
}

function indexOf(groups: readonly ServedGroup[]): string[] {
  const served = groups.flatMap(({ name, versions }) =>
    name
      ? [`/apis/${name}`, ...versions.map(({ version }) => `/apis/${name}/${version}`)]
      : ["/api/v1"],
  );
  return [
    "/api",
    "/apis",
    "/apis/",
    ...served,
    ...healthPaths(),
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/metrics",
    "/statusz",
    "/version",
    ...tokenMetadataPaths,
  ].toSorted(compareBytewise);
}
