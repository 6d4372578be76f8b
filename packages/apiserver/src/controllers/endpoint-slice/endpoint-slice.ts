// The controller of EndpointSlices: for each service with a selector, as many as its pods need, in
// each address family.
// Upstream: k8s.io/kubernetes/pkg/controller/endpointslice/endpointslice_controller.go,
// k8s.io/endpointslice/reconciler.go.
import { omitKeys } from "../../component-helpers/meta/labels.ts";
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { Node } from "homeostat/k8s/core/v1";
import { eventsAbout } from "../../component-helpers/controller/events-about.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { portsKey } from "../../component-helpers/endpoints/endpoint-set.ts";
import {
  managedByLabel,
  selectsPods,
  serviceNameLabel,
  triggerTimeAnnotation,
} from "../../component-helpers/endpoints/endpoint-labels.ts";
import type { AddressType, EndpointSlice } from "homeostat/k8s/discovery/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { Service, type Pod } from "homeostat/k8s/core/v1";
import { hasAddress } from "../../component-helpers/endpoints/serving-pods.ts";
import { createGoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { ServiceWatch } from "../../component-helpers/endpoints/service-watch.ts";
import { followSlices, writeSlices } from "../../component-helpers/endpoints/slice-writes.ts";
import { TriggerTimes } from "../../component-helpers/endpoints/trigger-times.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { hint } from "./hints.ts";
import { type EndpointGroup, planSlices, recycle, type SlicePlan } from "./plan-slices.ts";
import { familiesOf, sliceController, slicePorts, toEndpoint } from "./slice-of-service.ts";

const zoneLabel = "topology.kubernetes.io/zone";
/** The first retry delay of a failed service. */
const firstRetryMs = 1000;

/** Starts `endpointslice`. */
export const start: Start = async (context) => new EndpointSliceController(context);

class EndpointSliceController extends KeyedController {
  readonly #recorder = this.createRecorder("endpoint-slice-controller");
  readonly #watch = new ServiceWatch(this);
  readonly #nodes = this.acquire(Node);
  readonly #slices = followSlices(this, sliceController);
  readonly #times = new TriggerTimes();
  readonly #order = createGoOrder(this.context.kindData);

  constructor(context: ControllerContext) {
    super(context, "the endpointslice controller", { firstRetryMs });
    this.start((key) => this.#sync(key));
  }

  async #sync(key: string): Promise<undefined> {
    const service = this.#watch.services.get(parseObjectKey(key));
    if (!service) return this.#times.forget(key) as undefined;
    if (service.spec.type === "ExternalName" || !selectsPods(service)) return undefined;
    const pods = this.#watch.podsOf(service);
    const triggerTime = this.#times.next(key, service, pods);
    const existing = this.#slicesOf(service);
    const families = familiesOf(service);
    const failures: string[] = [];
    for (const family of families) {
      const ofFamily = existing.filter(({ addressType }) => addressType === family);
      const plan = planSlices(
        service,
        family,
        this.#groups(service, pods, family, failures),
        ofFamily,
      );
      await this.#write(service, hint(service, plan, ofFamily), triggerTime, failures);
    }
    const strange = existing.filter(({ addressType }) => !families.includes(addressType));
    await this.#write(service, { create: [], update: [], delete: strange }, undefined, failures);
    if (failures.length > 0) this.#fail(service, failures);
    return undefined;
  }

  /** The slices of the service that this controller manages and that are not being deleted. */
  #slicesOf({ metadata: { namespace, name } }: Service): readonly EndpointSlice[] {
    return this.#slices
      .list({ namespace })
      .filter(
        ({ metadata: { labels = {}, deletionTimestamp } }) =>
          labels[serviceNameLabel] === name &&
          labels[managedByLabel] === sliceController &&
          !deletionTimestamp,
      );
  }

  /**
   * The desired endpoints of one family, by ports. A pod on an unknown node is skipped, unless the
   * service publishes pods that are not ready.
   */
  #groups(
    service: Service,
    pods: readonly Pod[],
    family: AddressType,
    failures: string[],
  ): readonly EndpointGroup[] {
    const groups = new Map<
      string,
      EndpointGroup & { readonly endpoints: ReturnType<typeof toEndpoint>[] }
    >();
    for (const pod of pods.filter(hasAddress)) {
      const ports = slicePorts(service, pod, this.#order);
      const group = groups.get(portsKey(ports)) ?? { ports, endpoints: [] };
      groups.set(portsKey(ports), group);
      const { nodeName = "" } = pod.spec;
      const node: CachedObject<Node> | undefined = this.#nodes.entry(nodeName);
      if (!node && service.spec.publishNotReadyAddresses !== true) {
        failures.push(
          `skipping Pod ${pod.metadata.name} for Service ${service.metadata.namespace}/${service.metadata.name}: Node ${nodeName} Not Found`,
        );
        continue;
      }
      const endpoint = toEndpoint(pod, service, family, node?.read().metadata.labels?.[zoneLabel]);
      if (endpoint.addresses.length > 0) group.endpoints.push(endpoint);
    }
    return [...groups.values()];
  }

  async #write(
    service: Service,
    plan: SlicePlan,
    triggerTime: string | undefined,
    failures: string[],
  ): Promise<void> {
    const { create, update, delete: deletions } = recycle(plan, service);
    const stamp = (slice: SlicePlan["create"][number]): SlicePlan["create"][number] => {
      const kept = omitKeys(slice.metadata.annotations, [triggerTimeAnnotation]);
      return {
        ...slice,
        metadata: {
          ...slice.metadata,
          annotations: {
            ...kept,
            ...(triggerTime ? { [triggerTimeAnnotation]: triggerTime } : {}),
          },
        },
      };
    };
    const mayCreate = service.metadata.deletionTimestamp === undefined;
    const owner = {
      kind: "Service",
      namespace: service.metadata.namespace ?? "",
      name: service.metadata.name,
    };
    await writeSlices(this.context.client, owner, {
      create: mayCreate ? create.map(stamp) : [],
      update: update.map(stamp),
      delete: deletions,
    }).catch((error: Error) => void failures.push(error.message));
  }

  #fail(service: Service, failures: readonly string[]): never {
    const distinct = [...new Set(failures)];
    const cause = distinct.length > 1 ? `[${distinct.join(", ")}]` : distinct[0];
    const message = `Error updating Endpoint Slices for Service ${keyFor(service)}: ${cause}`;
    eventsAbout(this.#recorder, Service, service).warning("FailedToUpdateEndpointSlices", message);
    throw new Error(message);
  }
}
