// Says of API services that lie behind a service whether they can be reached: what upstream finds
// out before it connects, and that nobody connects here. Nothing is watched while there are none.
// Upstream: k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
import type { JsonObject } from "homeostat/api";
import type { LoopbackClient } from "./loopback-client.ts";
import { itemsAt, numberAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { storageKeyOf, storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { Revision } from "../storage/store.ts";
import { WorkSet } from "./work-set.ts";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const serviceName = "kubernetes.io/service-name";

/** The kinds that it takes. */
interface Kinds {
  readonly apiServices: ServedResource;
  readonly services: ServedResource;
  readonly slices: ServedResource;
}

/** Checks them until what is returned is called. */
export function startAvailabilityController(core: CoreServices, call: LoopbackClient): () => void {
  const apiServices = core.catalog.find("apiregistration.k8s.io", "v1", "apiservices");
  const services = core.catalog.find("", "v1", "services");
  const slices = core.catalog.find("discovery.k8s.io", "v1", "endpointslices");
  if (!apiServices || !services || !slices) return () => {};
  const checker = new Checker(core, call, { apiServices, services, slices });
  checker.start();
  return () => checker.stop();
}

class Checker {
  readonly #core: CoreServices;
  readonly #call: LoopbackClient;
  readonly #kinds: Kinds;
  readonly #work: WorkSet;
  /** API services by name, and the service behind each as `namespace/name`. */
  readonly #behind = new Map<string, string>();
  #following: (() => void) | undefined;
  #watching: readonly (() => void)[] = [];

  constructor(core: CoreServices, call: LoopbackClient, kinds: Kinds) {
    this.#core = core;
    this.#call = call;
    this.#kinds = kinds;
    this.#work = new WorkSet(core.runtime, (name) => this.#check(name));
  }

  start(): void {
    const prefix = storagePrefixOf(this.#kinds.apiServices, "");
    const see = (revision: Revision): void =>
      this.#seen(revision.key.slice(prefix.length), revision);
    const listing = this.#core.store.list(prefix);
    if (typeof listing === "object") for (const revision of listing.items) see(revision);
    this.#following = this.#each(prefix, see);
  }

  stop(): void {
    this.#following?.();
    this.#work.stop();
    this.#unwatch();
  }

  #seen(name: string, { type, facts, bytes }: Revision): void {
    // The server's own are served here, which their label says without another look.
    if (facts.labels[automanaged] !== undefined && !this.#behind.has(name)) return;
    const service =
      type === "DELETED" ? {} : objectAt(objectAt(parseStored(bytes), "spec"), "service");
    if (stringAt(service, "name")) {
      this.#behind.set(name, `${stringAt(service, "namespace")}/${stringAt(service, "name")}`);
      this.#work.add(name);
    } else this.#behind.delete(name);
    if (this.#behind.size === 0) this.#unwatch();
    else if (this.#watching.length === 0) this.#watch();
  }

  #watch(): void {
    const { services, slices } = this.#kinds;
    const changed = (namespace: string, name: string): void => {
      for (const [each, service] of this.#behind)
        if (service === `${namespace}/${name}`) this.#work.add(each);
    };
    const inside = (
      resource: ServedResource,
      nameOf: (name: string, revision: Revision) => string,
    ): (() => void) => {
      const prefix = storagePrefixOf(resource, "");
      return this.#each(prefix, (revision) => {
        const [namespace = "", name = ""] = revision.key.slice(prefix.length).split("/");
        changed(namespace, nameOf(name, revision));
      });
    };
    this.#watching = [
      inside(services, (name) => name),
      inside(slices, (_, { facts }) => facts.labels[serviceName] ?? ""),
    ];
  }

  #unwatch(): void {
    for (const stop of this.#watching) stop();
    this.#watching = [];
  }

  #each(prefix: string, see: (revision: Revision) => void): () => void {
    const watch = this.#core.store.since(prefix, this.#core.store.revision(), see);
    return () => void (typeof watch === "object" && watch.stop());
  }

  /** Resolves to true: who writes in between brings the next look. */
  async #check(name: string): Promise<boolean> {
    const { store, runtime } = this.#core;
    const { apiServices, services, slices } = this.#kinds;
    const found = store.latest(storageKeyOf(apiServices, "", name));
    if (!found) return true;
    const object = parseStored(found.bytes);
    const { namespace, name: behind } = objectAt(objectAt(object, "spec"), "service") as {
      readonly namespace?: string;
      readonly name?: string;
    };
    if (namespace === undefined || behind === undefined) return true;
    const service = store.latest(storageKeyOf(services, namespace, behind));
    const listing = store.list(storagePrefixOf(slices, namespace));
    const ofService =
      typeof listing === "object"
        ? [...listing.items].filter(({ facts }) => facts.labels[serviceName] === behind)
        : [];
    const verdict = availabilityOf(
      object,
      service && parseStored(service.bytes),
      ofService.map(({ bytes }) => parseStored(bytes)),
    );
    const conditions = withAvailable(
      itemsAt(objectAt(object, "status"), "conditions"),
      verdict,
      formatSeconds(runtime.clock.now()),
    );
    if (conditions)
      await this.#call("PUT", `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`, {
        ...object,
        status: { conditions: [...conditions] },
      });
    return true;
  }
}

/** Why an API service cannot be reached. */
export interface Unavailable {
  readonly reason: string;
  readonly message: string;
}

/**
 * What is in the way: its service, the service's port, its endpoints, or that requests go nowhere
 * from here.
 */
export function availabilityOf(
  apiService: JsonObject,
  service: JsonObject | undefined,
  slices: readonly JsonObject[],
): Unavailable {
  const spec = objectAt(apiService, "spec");
  const { namespace = "", name = "" } = objectAt(spec, "service") as {
    readonly namespace?: string;
    readonly name?: string;
  };
  const port = numberAt(objectAt(spec, "service"), "port");
  const called = `service/${name} in ${quoteGo(namespace)}`;
  if (!service) return { reason: "ServiceNotFound", message: `${called} is not present` };
  const { type, clusterIP } = objectAt(service, "spec");
  if (type === "ClusterIP") {
    const listening = itemsAt(objectAt(service, "spec"), "ports").find(
      (each) => numberAt(each, "port") === port,
    );
    if (!listening)
      return { reason: "ServicePortError", message: `${called} is not listening on port ${port}` };
    if (!slices.length)
      return { reason: "EndpointsNotFound", message: `cannot find endpointslices for ${called}` };
    const portName = stringAt(listening, "name");
    if (!slices.some((slice) => hasAddress(slice, portName)))
      return {
        reason: "MissingEndpoints",
        message: `endpointslices for ${called} have no addresses with port name ${quoteGo(portName)}`,
      };
  }
  const group = stringAt(spec, "group");
  const url = `https://${String(clusterIP ?? name)}:${port}/${group ? `apis/${group}` : "api"}/${stringAt(spec, "version")}`;
  return {
    reason: "FailedDiscoveryCheck",
    message: `failing or missing response from ${url}: this server does not pass requests on to other servers`,
  };
}

function hasAddress(slice: JsonObject, portName: string): boolean {
  const isReady = itemsAt(slice, "endpoints").some(
    (endpoint) => objectAt(endpoint, "conditions")["ready"] !== false,
  );
  return (
    isReady &&
    itemsAt(slice, "ports").some((port) => port["name"] === portName && port["port"] !== undefined)
  );
}

/** The conditions with this verdict among them, or undefined where they say so already. */
export function withAvailable(
  conditions: readonly JsonObject[],
  { reason, message }: Unavailable,
  now: string,
): readonly JsonObject[] | undefined {
  const before = conditions.find((each) => each["type"] === "Available");
  if (
    before?.["status"] === "False" &&
    before["reason"] === reason &&
    before["message"] === message
  )
    return undefined;
  const lastTransitionTime = before?.["status"] === "False" ? before["lastTransitionTime"]! : now;
  const next = { type: "Available", status: "False", lastTransitionTime, reason, message };
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next];
}
