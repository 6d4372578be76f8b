// Mirrors the Endpoints of services without a selector to EndpointSlices, for clients that read
// only slices.
// Upstream:
// k8s.io/kubernetes/pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { eventsAbout } from "../../component-helpers/controller/events-about.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import {
  managedByLabel,
  selectsPods,
  serviceNameLabel,
} from "../../component-helpers/endpoints/endpoint-labels.ts";
import { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { Endpoints, Service } from "homeostat/k8s/core/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { createGoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { followSlices, writeSlices } from "../../component-helpers/endpoints/slice-writes.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { maxPerSubset, mirroringController, planMirrors } from "./mirrored-slices.ts";

const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const firstRetryMs = 1000;

/** Starts `endpointslicemirroring`. */
export const start: Start = async (context) => new EndpointSliceMirroringController(context);

class EndpointSliceMirroringController extends KeyedController {
  readonly #recorder = this.createRecorder("endpoint-slice-mirroring-controller");
  readonly #endpoints = this.acquire(Endpoints);
  readonly #services = this.acquire(Service);
  readonly #slices = followSlices(this, mirroringController);
  readonly #order = createGoOrder(this.context.kindData);

  constructor(context: ControllerContext) {
    super(context, "the endpointslicemirroring controller", { firstRetryMs });
    const enqueue = (object: CachedObject<Endpoints>): void =>
      void (isMirrored(object.read()) && this.add(object.key));
    this.follow(this.#endpoints, {
      added: enqueue,
      updated: (old, object) =>
        void ((isMirrored(old.read()) || isMirrored(object.read())) && this.add(object.key)),
      deleted: enqueue,
    });
    const enqueueService = (service: CachedObject<Service>): void =>
      void (!selectsPods(service.read()) && this.add(service.key));
    this.follow(this.#services, {
      added: enqueueService,
      updated: (old, service) =>
        void (selectsPods(old.read()) !== selectsPods(service.read()) && this.add(service.key)),
      deleted: enqueueService,
    });
    this.start((key) => this.#sync(key));
  }

  async #sync(key: string): Promise<undefined> {
    const source = this.#endpoints.get(parseObjectKey(key));
    const service = this.#services.get(parseObjectKey(key));
    const existing = this.#mirrorsOf(key);
    if (!source || !service || !isMirrored(source) || selectsPods(service))
      return this.#remove(existing);
    const { namespace = "", name } = source.metadata;
    const { create, invalid, skipped, ...plan } = planMirrors(source, existing, this.#order);
    const events = eventsAbout(this.#recorder, Endpoints, source);
    if (invalid > 0)
      events.warning(
        "InvalidIPAddress",
        `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
      );
    if (skipped > invalid)
      events.warning(
        "TooManyAddressesToMirror",
        `A max of ${maxPerSubset} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
      );
    const mayCreate = source.metadata.deletionTimestamp === undefined;
    await writeSlices(
      this.context.client,
      { kind: "Endpoints", namespace, name },
      { ...plan, create: mayCreate ? create : [] },
    );
    return undefined;
  }

  #mirrorsOf(key: string): readonly EndpointSlice[] {
    const { namespace, name } = parseObjectKey(key);
    return this.#slices
      .list({ namespace })
      .filter(
        ({ metadata: { labels = {} } }) =>
          labels[serviceNameLabel] === name && labels[managedByLabel] === mirroringController,
      );
  }

  async #remove(slices: readonly EndpointSlice[]): Promise<undefined> {
    for (const slice of slices) {
      await this.context.client
        .delete(EndpointSlice, parseObjectKey(keyFor(slice)))
        .catch(ignoreNotFound);
    }
    return undefined;
  }
}

const isMirrored = ({ metadata: { labels, annotations } }: Endpoints): boolean =>
  labels?.[skipLabel] !== "true" && annotations?.[leaderAnnotation] === undefined;
