// What other servers serve: the APIServices with a service, what is known of their versions, and
// the requests that are theirs. While there is no such APIService it does nothing.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/apiserver.go.
import { compareBytewise, type Decoded, equalJson, type JsonObject } from "homeostat/api";
import type { APIService } from "homeostat/k8s/apiregistration/v1";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { followRevisions } from "../registry/revisions/follow-revisions.ts";
import { splitStorageKey, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { Revision } from "../storage/store.ts";
import type { Discovered, ExtensionServers, ExtensionServersOptions } from "./extension-servers.ts";
import { openApiRoot, pathOf, type RemoteApiService, toRemote } from "./remote-api-service.ts";

export interface AggregatorOptions extends ExtensionServersOptions {
  readonly core: Pick<CoreServices, "store" | "catalog">;
  readonly isLocated: (namespace: string, name: string, port: number) => boolean;
}

/** A version that another server serves, with what it says about it. */
export interface RemoteVersion extends RemoteApiService {
  /** A version of aggregated discovery. */
  readonly discovery: JsonObject;
}

const automanaged = "kube-aggregator.kubernetes.io/automanaged";

/** The aggregator of one server. */
export class Aggregator {
  /** True if a service's location was given at start, so that it needs no endpoints. */
  readonly isLocated: AggregatorOptions["isLocated"];
  readonly #options: AggregatorOptions;
  readonly #remote = new Map<string, RemoteApiService>();
  /** By APIService; of those whose server has answered. */
  readonly #discovered = new Map<string, Discovered>();
  readonly #stop: () => void;
  #servers: ExtensionServers | undefined;
  /** Changes with what {@link versions} and {@link openApiDocuments} return. */
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
      discovery: this.#discovered.get(remote.name)?.version ?? stale(remote.version),
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
        const serverRelativeURL = this.#discovered.get(remote.name)?.openApi;
        return serverRelativeURL === undefined
          ? []
          : [[pathOf(remote).slice(1), { serverRelativeURL }] as const];
      }),
    );
  }

  /** OpenAPI v2 documents with the path below which they count, in the order of priority. */
  openApiDocuments(): readonly { readonly below: string; readonly document: JsonObject }[] {
    const remotes = [...this.#remote.values()];
    const priorityOf = (group: string): number =>
      Math.max(...remotes.filter((one) => one.group === group).map((one) => one.groupPriority));
    return remotes
      .toSorted(
        (a, b) => priorityOf(b.group) - priorityOf(a.group) || compareBytewise(a.name, b.name),
      )
      .flatMap((remote) => {
        const document = this.#discovered.get(remote.name)?.openApiTwo;
        return document ? [{ below: `${pathOf(remote)}/`, document }] : [];
      });
  }

  /** Whether a path, without its query, belongs to another server. */
  readonly serves = (path: string): boolean => this.isActive && this.#find(path) !== undefined;

  /** The other server's response; undefined for a path of this server. */
  async handle(request: ServerRequest): Promise<ApiResponse | undefined> {
    const remote = this.#find(request.info.path);
    return remote && (await this.#loadServers().handle(remote, request));
  }

  /**
   * Asks the server behind an APIService whether it serves the version. Returns upstream's message
   * if not; `url` is what it names.
   */
  async check(name: string, url: string): Promise<string | undefined> {
    const remote = this.#remote.get(name);
    if (!remote) return undefined;
    const servers = this.#loadServers();
    const fault = await servers.check(remote, url);
    if (fault === undefined) this.#keep(name, await servers.discover(remote));
    return fault;
  }

  close(): void {
    this.#stop();
    this.#servers?.close();
  }

  #changed({ key, type, bytes, attributes }: Revision): void {
    const { name } = splitStorageKey(key);
    // The label marks APIServices of this server, which need no parsing.
    if (attributes.labels[automanaged] !== undefined && !this.#remote.has(name)) return;
    const object = parseStored(bytes) as Decoded<APIService>;
    const remote = type === "DELETED" ? undefined : toRemote(name, object);
    if (remote) this.#remote.set(name, remote);
    else if (!this.#remote.delete(name)) return;
    if (!remote) this.#discovered.delete(name);
    this.epoch++;
  }

  #find(path: string): RemoteApiService | undefined {
    const isDocument = path.startsWith(`${openApiRoot}/`);
    const parts = (isDocument ? path.slice(openApiRoot.length) : path).split("/");
    for (const remote of this.#remote.values()) {
      const own = pathOf(remote);
      const isOwn = parts.slice(0, remote.group ? 4 : 3).join("/") === own;
      const isServed = !isDocument || this.#discovered.get(remote.name)?.openApi !== undefined;
      if (isOwn && isServed) return remote;
    }
    return undefined;
  }

  /** The APIService may have been deleted while its server was asked. */
  #keep(name: string, found: Discovered): void {
    if (!this.#remote.has(name)) return;
    const before = this.#discovered.get(name);
    // A server that does not answer for a moment keeps its last document, as upstream.
    const openApiTwo = found.openApiTwo ?? before?.openApiTwo;
    this.#discovered.set(name, { ...found, openApiTwo });
    if (!isSame(found.version, before?.version) || !isSame(openApiTwo, before?.openApiTwo))
      this.epoch++;
  }

  #loadServers(): ExtensionServers {
    if (this.#servers) return this.#servers;
    const { ExtensionServers: Servers } = loadLate(
      import.meta.url,
      "./extension-servers",
    ) as typeof import("./extension-servers.ts");
    return (this.#servers = new Servers(this.#options));
  }
}

const isSame = (a: JsonObject | undefined, b: JsonObject | undefined): boolean =>
  equalJson(a ?? null, b ?? null);

/** A version whose server has not said yet what it serves. */
const stale = (version: string): JsonObject => ({ version, resources: [], freshness: "Stale" });
