// Serves the paths below /openapi: for v3 an index, and documents under a hash of their bytes; for
// v2 one document. A v3 document requested by its hash never changes; an old hash is redirected.
// Documents are built on the first request and cached until the catalog changes.
// Upstream: k8s.io/kube-openapi/pkg/handler3/handler.go, for v2 pkg/handler/handler.go.
import { createHash } from "node:crypto";
import { compareBytewise, encodeJsonBytes, type JsonObject, parseExact } from "homeostat/api";
import type { Descriptions } from "../apimachinery/kind-data/descriptions.ts";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { parseAccept } from "../registry/negotiation/accept-header.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import {
  buildDocument,
  documentedResources,
  documentSource,
  documentPaths,
  minorOf,
} from "./group-document.ts";
import { describeDocument, describeModels } from "./describe-document.ts";
import { filterByPaths, mergeDocuments } from "./merge-version-two.ts";
import { toVersionTwo } from "./version-two.ts";

/** Answers a GET below /openapi; undefined for a path that has no document. */
export type OpenApiService = (request: OpenApiRequest) => ApiResponse | undefined;

export interface OpenApiRequest {
  /** Without query, e.g. `/openapi/v3/apis/apps/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Dates the expiry of what never changes. */
  readonly nowMs: number;
}

/** Writes documents in their binary forms. */
export interface BinaryForms {
  readonly two: (document: JsonObject) => Uint8Array;
  readonly three: (document: JsonObject) => Uint8Array;
}

interface DocumentRequest extends Omit<OpenApiRequest, "query"> {
  /** "" for the current document, whatever its hash. */
  readonly hash: string;
}

interface Document {
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** When it was made, as headers have it. */
  readonly modified: string;
  /** What the answer depends on: version two may come compressed. */
  readonly vary: string;
  /** The same in binary, where that is offered; made when asked for. */
  readonly binary?: { readonly version: "v2" | "v3"; readonly bytes: () => Uint8Array };
}

const prefix = "/openapi/v3";
const yearMs = 365 * 24 * 3600 * 1000;
const empty = new Uint8Array(0);

interface Kept {
  readonly document: Document | undefined;
  readonly resources: readonly ServedResource[];
}

/** What documents are made with beside the data. */
export interface OpenApiExtras {
  readonly forms?: BinaryForms;
  /** Upstream's descriptions; read with the first document that carries some. */
  readonly descriptions?: () => Descriptions;
  /**
   * Which documents carry them: all, or those of custom resources, for the models that these share
   * with built-in kinds, above all object metadata. Documents without descriptions have a third of
   * the size. Default `"shared models"`.
   */
  readonly describes?: "everything" | "shared models";
  readonly remote?: RemoteOpenApi | undefined;
}

/** What other servers document. */
export interface RemoteOpenApi {
  /** Changes with what the functions return. */
  readonly epoch: number;
  /** Entries of the index of version three by path, e.g. `apis/apps/v1`. */
  openApiPaths(): Index;
  /** Documents of version two, and the path below which each counts. */
  openApiDocuments(): readonly { readonly below: string; readonly document: JsonObject }[];
}

type Index = Readonly<Record<string, { readonly serverRelativeURL: string }>>;

/** A service over the resources of a catalog. */
export function createOpenApi(
  catalog: ResourceCatalog,
  data: KindData,
  extras: OpenApiExtras = {},
): OpenApiService {
  const { forms, remote } = extras;
  const { build, buildVersionThree } = createBuilders(data, extras);
  const documents = new Map<string, Kept>();
  const checked = new Map<string, number>();
  const document = (path: string, nowMs: number): Document | undefined => {
    const kept = documents.get(path);
    if (kept && checked.get(path) === catalog.epoch) return kept.document;
    const resources = documentedResources(path, catalog);
    checked.set(path, catalog.epoch);
    // Most changes concern other groups.
    if (
      kept &&
      kept.resources.length === resources.length &&
      kept.resources.every((each, i) => each === resources[i])
    )
      return kept.document;
    const made = toDocument(buildVersionThree(path, resources), "v3", forms?.three, nowMs);
    documents.set(path, { document: made, resources });
    return made;
  };
  let older: { readonly epoch: string; readonly document: Document } | undefined;
  const versionTwo = (nowMs: number): Document => {
    const epoch = `${catalog.epoch} ${remote?.epoch ?? 0}`;
    if (older?.epoch !== epoch) {
      const merged = withRemoteDocuments(buildVersionTwo(catalog, data, build), remote);
      older = { epoch, document: toDocument(merged, "v2", forms?.two, nowMs)! };
    }
    return older.document;
  };
  return ({ path, query, headers, nowMs }) => {
    const request = { path, hash: "", headers, nowMs };
    if (path === "/openapi/v2") return documentResponse(versionTwo(nowMs), request);
    if (path === prefix)
      return indexResponse(withRemote(indexOf(catalog, document, nowMs), remote), nowMs);
    const found = path.startsWith(`${prefix}/`)
      ? document(path.slice(prefix.length + 1), nowMs)
      : undefined;
    if (!found && path.startsWith(`${prefix}/`))
      return { status: 404, headers: noCache, body: empty };
    return found && documentResponse(found, { ...request, hash: query.get("hash") ?? "" });
  };
}

type BuildDocument = (path: string, resources: readonly ServedResource[]) => JsonObject | undefined;

/** Builders of documents; version three has more descriptions. */
function createBuilders(
  data: KindData,
  { descriptions: read, describes = "shared models" }: OpenApiExtras,
): { readonly build: BuildDocument; readonly buildVersionThree: BuildDocument } {
  let descriptions: Descriptions | undefined;
  const build: BuildDocument = (path, resources) => {
    const built = buildDocument(path, resources, data);
    if (!built || !read || describes !== "everything") return built;
    return describeDocument(built, documentSource(resources), (descriptions ??= read()));
  };
  const buildVersionThree: BuildDocument = (path, resources) => {
    const built = build(path, resources);
    const lacksShared = describes !== "everything" && documentSource(resources) === "schema";
    return built && read && lacksShared ? describeModels(built, (descriptions ??= read())) : built;
  };
  return { build, buildVersionThree };
}

function buildVersionTwo(
  catalog: ResourceCatalog,
  data: KindData,
  build: BuildDocument,
): JsonObject {
  const documents = documentPaths(catalog).flatMap((path) => {
    const resources = documentedResources(path, catalog);
    const document = build(path, resources);
    return document ? [{ document, source: documentSource(resources) }] : [];
  });
  return toVersionTwo(documents, minorOf(data));
}

const withRemoteDocuments = (own: JsonObject, remote: RemoteOpenApi | undefined): JsonObject =>
  (remote?.openApiDocuments() ?? []).reduce(
    (all, { below, document }) =>
      mergeDocuments(
        all,
        filterByPaths(document, (path) => path.startsWith(below)),
      ),
    own,
  );

function toDocument(
  content: JsonObject | undefined,
  version: "v2" | "v3",
  encode: ((document: JsonObject) => Uint8Array) | undefined,
  nowMs: number,
): Document | undefined {
  if (!content) return undefined;
  const bytes = encodeJsonBytes(content);
  const document = {
    bytes,
    hash: createHash("sha512").update(bytes).digest("hex").toUpperCase(),
    modified: new Date(nowMs).toUTCString(),
    vary: version === "v2" ? "Accept-Encoding, Accept" : "Accept",
  };
  if (!encode) return document;
  let made: Uint8Array | undefined;
  // Parses the bytes, which are kept anyway, so that the document itself need not be kept.
  return {
    ...document,
    binary: {
      version,
      bytes: () => (made ??= encode(parseExact(Buffer.from(bytes).toString()) as JsonObject)),
    },
  };
}

const indexOf = (
  catalog: ResourceCatalog,
  document: (path: string, nowMs: number) => Document | undefined,
  nowMs: number,
): Index =>
  Object.fromEntries(
    documentPaths(catalog).map((path) => [
      path,
      { serverRelativeURL: `${prefix}/${path}?hash=${document(path, nowMs)!.hash}` },
    ]),
  );

/** The index with the entries of other servers, in the order of a map's keys. */
function withRemote(own: Index, remote: RemoteOpenApi | undefined): Index {
  const others = Object.entries(remote?.openApiPaths() ?? {});
  if (!others.length) return own;
  return Object.fromEntries(
    [...Object.entries(own), ...others].toSorted(([a], [b]) => compareBytewise(a, b)),
  );
}

function indexResponse(index: Index, nowMs: number): ApiResponse {
  const paths = index as JsonObject;
  return {
    status: 200,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache, private",
      "accept-ranges": "bytes",
      "last-modified": new Date(nowMs).toUTCString(),
    },
    body: encodeJsonBytes({ paths }),
  };
}

function documentResponse(document: Document, request: DocumentRequest): ApiResponse {
  const { path, hash, headers, nowMs } = request;
  const etag = `"${document.hash}"`;
  const [binary, oldBinary] = document.binary ? binaryTypes(document.binary.version) : [];
  const mediaType = chooseMediaType(
    headers.accept,
    binary && oldBinary ? [json, oldBinary, binary] : [json],
  );
  if (!mediaType) return { status: 406, headers: { vary: document.vary }, body: empty };
  const common = {
    "content-type": binary !== undefined && mediaType === oldBinary ? binary : mediaType,
    etag,
    vary: document.vary,
  };
  if (hash && hash !== document.hash) {
    const location = `${path}?hash=${document.hash}`;
    return { status: 301, headers: { ...common, ...noCache, location }, body: empty };
  }
  const caching = hash ? cacheForever(nowMs) : noCache;
  if (isKnown(headers, document))
    return { status: 304, headers: { etag, vary: document.vary, ...caching }, body: empty };
  return {
    status: 200,
    headers: {
      ...common,
      ...caching,
      "accept-ranges": "bytes",
      "last-modified": document.modified,
    },
    body: mediaType === json ? document.bytes : document.binary!.bytes(),
  };
}

const noCache = { "cache-control": "no-cache, private" };

const cacheForever = (nowMs: number): Readonly<Record<string, string>> => ({
  "cache-control": "public, immutable",
  expires: new Date(nowMs + yearMs).toUTCString().replace("GMT", "UTC"),
});

/** True if the client has this document already. */
function isKnown(headers: OpenApiRequest["headers"], { hash, modified }: Document): boolean {
  const tags = headers["if-none-match"];
  return tags === undefined
    ? Date.parse(headers["if-modified-since"] ?? "") >= Date.parse(modified)
    : tags.split(",").some((each) => each.trim() === `"${hash}"`);
}

const json = "application/json";
/** The current media type, and the one that old clients ask for although `@` is not allowed. */
const binaryTypes = (version: string): readonly [string, string] => [
  `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
  `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`,
];

/** The first of those offered that the best clause allows. */
function chooseMediaType(
  accept: string | undefined,
  offered: readonly string[],
): string | undefined {
  for (const { type, subtype } of parseAccept(accept || "*/*")) {
    const found = offered.find(
      (each) =>
        (type === "*" || type === "application") &&
        (subtype === "*" || each === `application/${subtype}`),
    );
    if (found) return found;
  }
  return undefined;
}
