// Sets the Available condition of APIServices behind a Service: it checks the Service, its port and
// its endpoints as upstream does before it connects. This server proxies no requests, so that an
// APIService that passes these checks stays unavailable too. Watches nothing while there are none.
// Upstream: k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
import type { Decoded } from "homeostat/api";
import type { APIService, APIServiceCondition } from "homeostat/k8s/apiregistration/v1";
import type { Service } from "homeostat/k8s/core/v1";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { createKeyedWorkers, type KeyedWorkers } from "homeostat/queue";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import { followRevisions, watchRevisions } from "../registry/revisions/follow-revisions.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { Revision } from "../storage/store.ts";
import type { HookContext } from "./hook-context.ts";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const serviceName = "kubernetes.io/service-name";

/** The resources that the controller reads. */
interface Resources {
  readonly apiServices: ServedResource;
  readonly services: ServedResource;
  readonly slices: ServedResource;
}

/** Starts the controller. Returns a function that stops it. */
export function startAvailabilityController(context: HookContext): () => Promise<void> {
  const { catalog } = context.core;
  const apiServices = catalog.find("apiregistration.k8s.io", "v1", "apiservices");
  const services = catalog.find("", "v1", "services");
  const slices = catalog.find("discovery.k8s.io", "v1", "endpointslices");
  if (!apiServices || !services || !slices) return async () => {};
  const controller = new AvailabilityController(context, { apiServices, services, slices });
  controller.start();
  return () => controller.stop();
}

class AvailabilityController {
  readonly #context: HookContext;
  readonly #resources: Resources;
  readonly #workers: KeyedWorkers;
  /** The Service behind each APIService, as `namespace/name`. */
  readonly #services = new Map<string, string>();
  #stopFollowing: (() => void) | undefined;
  #stopWatching: readonly (() => void)[] = [];

  constructor(context: HookContext, resources: Resources) {
    this.#context = context;
    this.#resources = resources;
    this.#workers = createKeyedWorkers({
      runtime: context.core.runtime,
      backoff: { firstMs: 1000, maxMs: 1000 },
      failing: (name, error) => context.warn?.(`APIService ${name} cannot be checked`, error),
    });
  }

  start(): void {
    const prefix = storagePrefixOf(this.#resources.apiServices, "");
    this.#stopFollowing = followRevisions(this.#context.core.store, prefix, (revision) =>
      this.#apiServiceChanged(revision.key.slice(prefix.length), revision),
    );
    this.#workers.start((name) => this.#sync(name));
  }

  async stop(): Promise<void> {
    this.#stopFollowing?.();
    this.#unwatch();
    await this.#workers.stop();
  }

  #apiServiceChanged(name: string, { type, attributes, bytes }: Revision): void {
    // The label marks APIServices of this server, which need no parsing.
    if (attributes.labels[automanaged] !== undefined && !this.#services.has(name)) return;
    const service = type === "DELETED" ? undefined : parseApiService(bytes).spec?.service;
    if (service?.name) {
      this.#services.set(name, `${service.namespace ?? ""}/${service.name}`);
      this.#workers.add(name);
    } else this.#services.delete(name);
    if (this.#services.size === 0) this.#unwatch();
    else if (this.#stopWatching.length === 0) this.#watch();
  }

  #watch(): void {
    const { services, slices } = this.#resources;
    const changed = (namespace: string, name: string): void => {
      for (const [apiService, service] of this.#services)
        if (service === `${namespace}/${name}`) this.#workers.add(apiService);
    };
    const watch = (
      resource: ServedResource,
      serviceOf: (name: string, revision: Revision) => string,
    ): (() => void) => {
      const prefix = storagePrefixOf(resource, "");
      return watchRevisions(this.#context.core.store, prefix, (revision) => {
        const [namespace = "", name = ""] = revision.key.slice(prefix.length).split("/");
        changed(namespace, serviceOf(name, revision));
      });
    };
    this.#stopWatching = [
      watch(services, (name) => name),
      watch(slices, (_, { attributes }) => attributes.labels[serviceName] ?? ""),
    ];
  }

  #unwatch(): void {
    for (const stop of this.#stopWatching) stop();
    this.#stopWatching = [];
  }

  /** A refused write needs no retry: the change that it conflicts with adds the key again. */
  async #sync(name: string): Promise<void> {
    const { store, runtime } = this.#context.core;
    const found = store.latest(storageKeyOf(this.#resources.apiServices, "", name));
    if (!found) return;
    const object = parseApiService(found.bytes);
    const { namespace, name: service } = object.spec?.service ?? {};
    if (!namespace || !service) return;
    const verdict = availabilityOf(
      object,
      this.#readService(namespace, service),
      this.#readSlices(namespace, service),
    );
    const now = formatSeconds(runtime.clock.now());
    const conditions = withAvailable(object.status?.conditions ?? [], verdict, now);
    if (!conditions) return;
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`;
    await this.#context.loopback("PUT", path, { ...object, status: { conditions } });
  }

  #readService(namespace: string, name: string): Decoded<Service> | undefined {
    const key = storageKeyOf(this.#resources.services, namespace, name);
    const found = this.#context.core.store.latest(key);
    return found && (parseStored(found.bytes) as Decoded<Service>);
  }

  #readSlices(namespace: string, service: string): readonly Decoded<EndpointSlice>[] {
    const prefix = storagePrefixOf(this.#resources.slices, namespace);
    const listing = this.#context.core.store.list(prefix);
    if (typeof listing !== "object") return [];
    return [...listing.items]
      .filter(({ attributes }) => attributes.labels[serviceName] === service)
      .map(({ bytes }) => parseStored(bytes) as Decoded<EndpointSlice>);
  }
}

const parseApiService = (bytes: Uint8Array): Decoded<APIService> =>
  parseStored(bytes) as Decoded<APIService>;

/** Why an APIService is unavailable. */
export interface Unavailable {
  readonly reason: string;
  readonly message: string;
}

/** The first failed check: the Service, its port, its endpoints, or the connection. */
export function availabilityOf(
  { spec }: Decoded<APIService>,
  service: Decoded<Service> | undefined,
  slices: readonly Decoded<EndpointSlice>[],
): Unavailable {
  const { namespace = "", name = "", port } = spec?.service ?? {};
  const called = `service/${name} in ${quoteGo(namespace ?? "")}`;
  if (!service) return { reason: "ServiceNotFound", message: `${called} is not present` };
  const { type, clusterIP, ports } = service.spec ?? {};
  if (type === "ClusterIP") {
    const listening = (ports ?? []).find((each) => Number(each.port ?? 0) === Number(port ?? 0));
    if (!listening)
      return {
        reason: "ServicePortError",
        message: `${called} is not listening on port ${Number(port ?? 0)}`,
      };
    if (!slices.length)
      return { reason: "EndpointsNotFound", message: `cannot find endpointslices for ${called}` };
    const portName = listening.name ?? "";
    if (!slices.some((slice) => hasAddress(slice, portName)))
      return {
        reason: "MissingEndpoints",
        message: `endpointslices for ${called} have no addresses with port name ${quoteGo(portName)}`,
      };
  }
  const path = spec?.group ? `apis/${spec.group}` : "api";
  const url = `https://${clusterIP ?? name}:${Number(port ?? 0)}/${path}/${spec?.version ?? ""}`;
  return {
    reason: "FailedDiscoveryCheck",
    message: `failing or missing response from ${url}: this server does not pass requests on to other servers`,
  };
}

function hasAddress({ endpoints, ports }: Decoded<EndpointSlice>, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some(({ name, port }) => name === portName && port !== undefined);
}

/** The conditions with this verdict; undefined when they have it already. */
export function withAvailable(
  conditions: readonly Decoded<APIServiceCondition>[],
  { reason, message }: Unavailable,
  now: string,
): Decoded<APIServiceCondition>[] | undefined {
  const before = conditions.find(({ type }) => type === "Available");
  const wasUnavailable = before?.status === "False";
  if (wasUnavailable && before.reason === reason && before.message === message) return undefined;
  const next: Decoded<APIServiceCondition> = {
    type: "Available",
    status: "False",
    lastTransitionTime: (wasUnavailable ? before.lastTransitionTime : undefined) ?? now,
    reason,
    message,
  };
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next];
}
