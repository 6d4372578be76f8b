// The controller of Endpoints: one object for each service with a selector, with the addresses of
// its pods.
// Upstream: k8s.io/kubernetes/pkg/controller/endpoint/endpoints_controller.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import {
  createObject,
  type NewObject,
  updateObject,
} from "../../component-helpers/meta/write-object.ts";
import { parseObjectKey } from "homeostat/api";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { selectsPods } from "../../component-helpers/endpoints/endpoint-labels.ts";
import { Endpoints, type Service } from "homeostat/k8s/core/v1";
import { createGoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { ServiceWatch } from "../../component-helpers/endpoints/service-watch.ts";
import { TriggerTimes } from "../../component-helpers/endpoints/trigger-times.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../component-helpers/errors/terminating-namespace.ts";
import { nextEndpoints, subsetsOf } from "./endpoints-of-service.ts";

const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";

/** Starts `endpoint`. */
export const start: Start = async (context) => new EndpointsController(context);

class EndpointsController extends KeyedController {
  readonly #recorder = this.createRecorder("endpoint-controller");
  readonly #watch = new ServiceWatch(this);
  readonly #endpoints = this.acquire(Endpoints);
  readonly #times = new TriggerTimes();
  readonly #order = createGoOrder(this.context.kindData);

  constructor(context: ControllerContext) {
    super(context, "the endpoint controller");
    // Leftover Endpoints are found once, at the start. Leader election records have no service.
    this.follow(this.#endpoints, {
      added: (object, { through }) =>
        void (
          through === "initial" &&
          object.read().metadata.annotations?.[leaderAnnotation] === undefined &&
          this.add(object.key)
        ),
      deleted: ({ key }) => this.add(key),
    });
    this.start((key) => this.#sync(key));
  }

  async #sync(key: string): Promise<undefined> {
    const service = this.#watch.services.get(parseObjectKey(key));
    if (!service) return this.#remove(key);
    if (service.spec.type === "ExternalName" || !selectsPods(service)) return undefined;
    const pods = this.#watch.podsOf(service);
    const triggerTime = this.#times.next(key, service, pods);
    const found = this.#endpoints.get(parseObjectKey(key));
    const subsets = subsetsOf(service, pods, this.#order);
    const next = nextEndpoints(service, { subsets, found, triggerTime, order: this.#order });
    if (next) await this.#write(service, found, next);
    return undefined;
  }

  async #write(
    { metadata: { namespace = "", name } }: Service,
    found: Endpoints | undefined,
    next: NewObject<Endpoints>,
  ): Promise<void> {
    const { client } = this.context;
    try {
      await (found ? updateObject(client, Endpoints, next) : createObject(client, Endpoints, next));
    } catch (error) {
      if (!found && isNamespaceTerminating(error)) return;
      const [reason, attempt] = found
        ? ["FailedToUpdateEndpoint", "update endpoint"]
        : ["FailedToCreateEndpoint", "create endpoint for service"];
      const object = {
        apiVersion: "v1",
        kind: "Endpoints",
        namespace,
        name,
        uid: found?.metadata.uid ?? "",
      };
      this.#recorder.record({
        regarding: object,
        type: "Warning",
        reason,
        note: `Failed to ${attempt} ${namespace}/${name}: ${reasonOf(error)}`,
      });
      throw error;
    }
  }

  /** Deletes the Endpoints of a deleted service. */
  async #remove(key: string): Promise<undefined> {
    await this.context.client.delete(Endpoints, parseObjectKey(key)).catch(ignoreNotFound);
    this.#times.forget(key);
    return undefined;
  }
}
