// Sets the Available condition of APIServices behind a Service: checks the Service, its port and
// its endpoints, and asks the server behind them for the version. Watches nothing while there are
// none.
// Upstream: k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
import type { Decoded } from "homeostat/api";
import type { APIService, APIServiceCondition } from "homeostat/k8s/apiregistration/v1";
import type { Service } from "homeostat/k8s/core/v1";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { HookContext } from "./hook-context.ts";
import { HookController } from "./hook-controller.ts";
import { type NamedRevision, StoredResource } from "./stored-resource.ts";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";
const serviceName = "kubernetes.io/service-name";

/** What reaches the servers behind APIServices. */
export interface RemoteCheck {
  /** True if the location of a Service was given, so that it needs no object and no endpoints. */
  isLocated(namespace: string, name: string, port: number): boolean;
  /** Why the server of an APIService does not serve it; `url` is how the message names it. */
  check(apiService: string, url: string): Promise<string | undefined>;
  /** Publishes by whose certificate this server asks; called before the first check. */
  publishTrust(): Promise<void>;
}

export interface AvailabilityOptions extends HookContext {
  readonly remote?: RemoteCheck | undefined;
}

/** Upstream's resync of APIServices. */
const recheckMs = 30_000;

/** The controller. Starts at once. */
export class AvailabilityController extends HookController {
  readonly #remote: RemoteCheck | undefined;
  readonly #apiServices: StoredResource<APIService>;
  readonly #services: StoredResource<Service>;
  readonly #slices: StoredResource<EndpointSlice>;
  /** The Service behind each APIService, as `namespace/name`. */
  readonly #serviceOf = new Map<string, string>();
  #stopWatching: readonly (() => void)[] = [];

  constructor(context: AvailabilityOptions) {
    super(context, { failing: (name) => `APIService ${name} cannot be checked` });
    const { core } = context;
    this.#remote = context.remote;
    this.#apiServices = new StoredResource(core, "apiregistration.k8s.io", "apiservices");
    this.#services = new StoredResource(core, "", "services");
    this.#slices = new StoredResource(core, "discovery.k8s.io", "endpointslices");
    this.onStop(this.#apiServices.follow((one) => this.#apiServiceChanged(one)));
    this.onStop(() => this.#unwatch());
    this.start((name) => this.#sync(name));
  }

  #apiServiceChanged({ name, revision }: NamedRevision): void {
    // The label marks APIServices of this server, which need no parsing.
    if (revision.attributes.labels[automanaged] !== undefined && !this.#serviceOf.has(name)) return;
    const object = revision.type === "DELETED" ? undefined : this.#apiServices.decode(revision);
    const service = object?.spec?.service;
    if (service?.name) {
      this.#serviceOf.set(name, `${service.namespace ?? ""}/${service.name}`);
      this.add(name);
    } else this.#serviceOf.delete(name);
    if (this.#serviceOf.size === 0) this.#unwatch();
    else if (this.#stopWatching.length === 0) this.#watch();
  }

  #watch(): void {
    const changed = (namespace: string, name: string): void => {
      for (const [apiService, service] of this.#serviceOf)
        if (service === `${namespace}/${name}`) this.add(apiService);
    };
    this.#stopWatching = [
      this.#services.watch(({ namespace, name }) => changed(namespace, name)),
      this.#slices.watch(({ namespace, revision }) =>
        changed(namespace, revision.attributes.labels[serviceName] ?? ""),
      ),
    ];
  }

  #unwatch(): void {
    for (const stop of this.#stopWatching) stop();
    this.#stopWatching = [];
  }

  /** A refused write needs no retry: the change that it conflicts with adds the key again. */
  async #sync(name: string): Promise<void> {
    const object = this.#apiServices.find("", name);
    const { namespace, name: service } = object?.spec?.service ?? {};
    if (!object || !namespace || !service) return;
    const verdict = await this.#verdict(name, object, { namespace, service });
    this.add(name, recheckMs);
    const now = formatSeconds(this.context.core.runtime.clock.now());
    const conditions = withAvailable(object.status?.conditions ?? [], verdict, now);
    if (!conditions) return;
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`;
    await this.context.loopback("PUT", path, { ...object, status: { conditions } });
  }

  async #verdict(
    name: string,
    object: Decoded<APIService>,
    { namespace, service }: { readonly namespace: string; readonly service: string },
  ): Promise<Verdict> {
    const port = Number(object.spec?.service?.port ?? 443);
    const found = this.#services.find(namespace, service);
    const obstacle = this.#remote?.isLocated(namespace, service, port)
      ? undefined
      : obstacleOf(object, found, this.#slicesOf(namespace, service));
    if (obstacle) return { status: "False", ...obstacle };
    await this.#remote?.publishTrust();
    const message = await this.#remote?.check(name, urlOf(object, found));
    return message === undefined
      ? { status: "True", reason: "Passed", message: "all checks passed" }
      : { status: "False", reason: "FailedDiscoveryCheck", message };
  }

  #slicesOf(namespace: string, service: string): readonly Decoded<EndpointSlice>[] {
    return this.#slices
      .list(namespace)
      .filter(({ attributes }) => attributes.labels[serviceName] === service)
      .map((revision) => this.#slices.decode(revision));
  }
}

/** Why an APIService is unavailable. */
export interface Unavailable {
  readonly reason: string;
  readonly message: string;
}

/** Whether an APIService is available, and why. */
export interface Verdict extends Unavailable {
  readonly status: "True" | "False";
}

/** The first failed check of the Service, its port and its endpoints. */
export function obstacleOf(
  { spec }: Decoded<APIService>,
  service: Decoded<Service> | undefined,
  slices: readonly Decoded<EndpointSlice>[],
): Unavailable | undefined {
  const { namespace = "", name = "", port } = spec?.service ?? {};
  const called = `service/${name} in ${quoteGo(namespace ?? "")}`;
  if (!service) return { reason: "ServiceNotFound", message: `${called} is not present` };
  const { type, ports } = service.spec ?? {};
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
  return undefined;
}

/** What is asked for, as messages name it: at the cluster address of the Service. */
function urlOf({ spec }: Decoded<APIService>, service: Decoded<Service> | undefined): string {
  const { name, namespace, port } = spec?.service ?? {};
  const host = service?.spec?.clusterIP ?? `${name ?? ""}.${namespace ?? ""}.svc`;
  const path = spec?.group ? `apis/${spec.group}` : "api";
  return `https://${host}:${Number(port ?? 0)}/${path}/${spec?.version ?? ""}`;
}

function hasAddress({ endpoints, ports }: Decoded<EndpointSlice>, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some(({ name, port }) => name === portName && port !== undefined);
}

/** The conditions with this verdict; undefined when they have it already. */
export function withAvailable(
  conditions: readonly Decoded<APIServiceCondition>[],
  { status, reason, message }: Verdict,
  now: string,
): Decoded<APIServiceCondition>[] | undefined {
  const before = conditions.find(({ type }) => type === "Available");
  const isSame = before?.status === status;
  if (isSame && before.reason === reason && before.message === message) return undefined;
  const next: Decoded<APIServiceCondition> = {
    type: "Available",
    status,
    lastTransitionTime: (isSame ? before.lastTransitionTime : undefined) ?? now,
    reason,
    message,
  };
  return before ? conditions.map((each) => (each === before ? next : each)) : [...conditions, next];
}
