// Passes requests below the path of an APIService with a service on to that service, and asks it
// what it serves. While there is no such APIService it does nothing.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/{apiserver,handler_proxy,handler_discovery}.go.
import { type Decoded, isObject, type JsonObject } from "homeostat/api";
import type { APIService } from "homeostat/k8s/apiregistration/v1";
import type { ApiRequest, ApiResponse } from "../apimachinery/handler.ts";
import { isStream } from "../apimachinery/handler.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { followRevisions } from "../registry/revisions/follow-revisions.ts";
import { splitStorageKey, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { Revision } from "../storage/store.ts";
import type { ServiceResolver } from "../webhook-client/webhook-client.ts";
import type { ForwardedRequest, Forwarder } from "./forwarder.ts";
import {
  pathOf,
  type RemoteApiService,
  toRemote,
  toVersionDiscovery,
  userHeaders,
} from "./remote-api-service.ts";

export interface AggregatorOptions {
  readonly core: Pick<CoreServices, "store" | "catalog">;
  readonly resolve: ServiceResolver;
  readonly isLocated: (namespace: string, name: string, port: number) => boolean;
  readonly forwarder: Forwarder;
}

/** A version that another server serves, with what it says about it. */
export interface RemoteVersion extends RemoteApiService {
  /** A version of aggregated discovery. */
  readonly discovery: JsonObject;
}

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const checkTimeoutMs = 5000;
const openApiRoot = "/openapi/v3";
const aggregator: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };
const acceptAggregated =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** The aggregator of one server. */
export class Aggregator {
  /** True if a service's location was given at start, so that it needs no endpoints. */
  readonly isLocated: AggregatorOptions["isLocated"];
  readonly #options: AggregatorOptions;
  readonly #remote = new Map<string, RemoteApiService>();
  readonly #discovery = new Map<string, JsonObject>();
  /** By APIService, the path of its OpenAPI document on its server. */
  readonly #openApi = new Map<string, string>();
  readonly #stop: () => void;
  /** Changes with what {@link versions} returns. */
  epoch = 0;

  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.isLocated = options.isLocated;
    const { store, catalog } = options.core;
    const served = catalog.find("apiregistration.k8s.io", "v1", "apiservices");
    this.#stop = served
      ? followRevisions(store, storagePrefixOf(served, ""), (revision) => this.#changed(revision))
      : () => {};
  }

  /** The versions that other servers serve. */
  versions(): readonly RemoteVersion[] {
    return Array.from(this.#remote.values(), (remote) => ({
      ...remote,
      discovery: this.#discovery.get(remote.name) ?? stale(remote.version),
    }));
  }

  /** False while no other server serves anything: no request need be looked at. */
  get isActive(): boolean {
    return this.#remote.size > 0;
  }

  /** The entries of these versions in the index of OpenAPI v3, by path. */
  openApiPaths(): Readonly<Record<string, { readonly serverRelativeURL: string }>> {
    return Object.fromEntries(
      [...this.#remote.values()].flatMap((remote) => {
        const serverRelativeURL = this.#openApi.get(remote.name);
        return serverRelativeURL === undefined
          ? []
          : [[pathOf(remote).slice(1), { serverRelativeURL }] as const];
      }),
    );
  }

  /** The other server's response; undefined for a path of this server. */
  async handle(request: ServerRequest): Promise<ApiResponse | undefined> {
    const remote = this.#find(request.info.path);
    if (!remote) return undefined;
    if (!remote.available) return httpError("service unavailable");
    const { api, user } = request;
    const headers = { ...passedOn(api), ...forwarded(api), ...userHeaders(user) };
    const { method, path, body } = api;
    try {
      return await this.#send(remote, { method, path, headers, body }, user);
    } catch (error) {
      if (error instanceof UnresolvedError) return httpError("service unavailable");
      return httpError(`error trying to reach service: ${messageOf(error)}`);
    }
  }

  /**
   * Asks the server behind an APIService whether it serves the version. Returns upstream's message
   * if not; `url` is what it names.
   */
  async check(name: string, url: string): Promise<string | undefined> {
    const remote = this.#remote.get(name);
    if (!remote) return undefined;
    try {
      const { status } = await this.#ask(remote, pathOf(remote), "application/json");
      if (status < 200 || status >= 300)
        return `failing or missing response from ${url}: bad status from ${url}: ${status}`;
    } catch (error) {
      if (error instanceof UnresolvedError) return error.message;
      return `failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${messageOf(error)}`;
    }
    await this.#discover(remote);
    return undefined;
  }

  close(): void {
    this.#stop();
    this.#options.forwarder.close();
  }

  #changed({ key, type, bytes, attributes }: Revision): void {
    const { name } = splitStorageKey(key);
    // The label marks APIServices of this server, which need no parsing.
    if (attributes.labels[automanaged] !== undefined && !this.#remote.has(name)) return;
    const object = parseStored(bytes) as Decoded<APIService>;
    const remote = type === "DELETED" ? undefined : toRemote(name, object);
    if (remote) this.#remote.set(name, remote);
    else if (!this.#remote.delete(name)) return;
    if (!remote) {
      this.#discovery.delete(name);
      this.#openApi.delete(name);
    }
    this.epoch++;
  }

  #find(path: string): RemoteApiService | undefined {
    const isDocument = path.startsWith(`${openApiRoot}/`);
    const parts = (isDocument ? path.slice(openApiRoot.length) : path).split("/");
    for (const remote of this.#remote.values()) {
      const own = pathOf(remote);
      const isOwn = parts.slice(0, remote.group ? 4 : 3).join("/") === own;
      if (isOwn && (!isDocument || this.#openApi.has(remote.name))) return remote;
    }
    return undefined;
  }

  async #send(
    { service, caBundle, insecureSkipTLSVerify }: RemoteApiService,
    request: ForwardedRequest,
    user: UserInfo,
  ): Promise<ApiResponse> {
    const { namespace, name, port } = service;
    const location = this.#locate(namespace, name, port);
    if (typeof location === "function") {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([key, value]) => [
          key,
          typeof value === "string" ? value : value.join(", "),
        ]),
      );
      return await location({ ...request, headers, user });
    }
    const serverName = `${name}.${namespace}.svc`;
    return await this.#options.forwarder.send(
      { ...location, serverName, caBundle, insecureSkipTLSVerify },
      { ...request, headers: { ...request.headers, host: `${location.host}:${location.port}` } },
    );
  }

  #locate(namespace: string, name: string, port: number): ReturnType<ServiceResolver> {
    try {
      return this.#options.resolve(namespace, name, port);
    } catch (error) {
      throw new UnresolvedError(messageOf(error));
    }
  }

  async #ask(remote: RemoteApiService, path: string, accept: string): Promise<ApiResponse> {
    const headers = { accept, ...userHeaders(aggregator) };
    const request = { method: "GET", path, headers, body: new Uint8Array() };
    return await this.#send(remote, { ...request, timeoutMs: checkTimeoutMs }, aggregator);
  }

  /** Asks for aggregated discovery, and of a server without for its resources. */
  async #discover(remote: RemoteApiService): Promise<void> {
    const all = await this.#document(remote, "/apis", acceptAggregated);
    const list =
      versionIn(all, remote) ??
      toVersionDiscovery(
        remote.version,
        (await this.#document(remote, pathOf(remote), "application/json")) ?? {},
      );
    await this.#documentOpenApi(remote);
    const found = { ...list, freshness: "Current" };
    if (JSON.stringify(found) === JSON.stringify(this.#discovery.get(remote.name))) return;
    this.#discovery.set(remote.name, found);
    this.epoch++;
  }

  async #documentOpenApi(remote: RemoteApiService): Promise<void> {
    const index = await this.#document(remote, openApiRoot, "application/json");
    const paths = isObject(index?.paths) ? index.paths : {};
    const entry = paths[pathOf(remote).slice(1)];
    if (isObject(entry) && typeof entry.serverRelativeURL === "string")
      this.#openApi.set(remote.name, entry.serverRelativeURL);
    else this.#openApi.delete(remote.name);
  }

  async #document(
    remote: RemoteApiService,
    path: string,
    accept: string,
  ): Promise<JsonObject | undefined> {
    try {
      const { status, body } = await this.#ask(remote, path, accept);
      if (status !== 200) return undefined;
      const value = JSON.parse(await textOf(body)) as JsonObject;
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The service has no address. */
class UnresolvedError extends Error {}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A version whose server has not said yet what it serves. */
const stale = (version: string): JsonObject => ({ version, resources: [], freshness: "Stale" });

function versionIn(
  list: JsonObject | undefined,
  { group, version }: RemoteApiService,
): JsonObject | undefined {
  if (list?.kind !== "APIGroupDiscoveryList" || !Array.isArray(list.items)) return undefined;
  const found = (list.items as JsonObject[]).find(
    ({ metadata }) => (isObject(metadata) ? (metadata.name ?? "") : "") === group,
  );
  const versions = Array.isArray(found?.versions) ? (found.versions as JsonObject[]) : [];
  return versions.find((each) => each.version === version);
}

/** The client's headers, without its credentials and what states a user. */
function passedOn({ headers }: ApiRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) =>
        name !== "authorization" &&
        name !== "accept-encoding" &&
        name !== "host" &&
        !name.startsWith("impersonate-") &&
        !name.startsWith("x-remote-"),
    ),
  );
}

function forwarded({ headers, path }: ApiRequest): Record<string, string> {
  const mark = path.indexOf("?");
  return {
    "x-forwarded-uri": mark < 0 ? path : path.slice(0, mark),
    "x-forwarded-proto": "https",
    ...(headers["host"] ? { "x-forwarded-host": headers["host"] } : {}),
  };
}

/** As Go's http.Error: text with 503. */
const httpError = (text: string): ApiResponse => ({
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: new TextEncoder().encode(`${text}\n`),
});

async function textOf(body: ApiResponse["body"]): Promise<string> {
  if (!isStream(body)) return Buffer.from(body).toString("utf8");
  const chunks: Uint8Array[] = [];
  return await new Promise((done) => {
    body.open({
      data: (chunk) => chunks.push(chunk) > 0,
      end: () => done(Buffer.concat(chunks).toString("utf8")),
    });
  });
}
