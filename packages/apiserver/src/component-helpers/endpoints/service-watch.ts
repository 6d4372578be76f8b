// Watches services and pods for the controllers of Endpoints and EndpointSlices, and enqueues
// services.
// Upstream: k8s.io/endpointslice/util/controller_utils.go (GetServicesToUpdate).
import { matchesLabels, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { toSelector } from "../meta/label-selector.ts";
import type { KeyedController } from "../controller/keyed-controller.ts";
import { Pod, Service } from "homeostat/k8s/core/v1";
import { keyFor } from "../meta/api-object.ts";
import { selectsPods } from "./endpoint-labels.ts";
import { podChange } from "./serving-pods.ts";

/** Services and their pods. */
export class ServiceWatch {
  readonly services: Informer<Kind<Service>>;
  readonly #pods: Informer<Kind<Pod>>;
  readonly #controller: KeyedController;

  constructor(controller: KeyedController) {
    this.#controller = controller;
    this.services = controller.acquire(Service);
    this.#pods = controller.acquire(Pod);
    controller.followKeys(this.services);
    const enqueueAll = (pod: CachedObject<Pod>): void =>
      this.#enqueue(this.#servicesOf(pod.read()));
    controller.follow(this.#pods, {
      added: enqueueAll,
      updated: (old, pod) => this.#podChanged(old.read(), pod.read()),
      deleted: enqueueAll,
    });
  }

  /** The pods that a service selects. */
  podsOf({ metadata: { namespace }, spec: { selector = {} } }: Service): readonly Pod[] {
    const requirements = toSelector({ matchLabels: selector });
    return this.#pods
      .list({ namespace })
      .filter(({ metadata }) => matchesLabels(requirements, metadata.labels ?? {}));
  }

  #podChanged(old: Pod, pod: Pod): void {
    const change = podChange(old, pod);
    if (!change) return;
    const [before, after] = [this.#servicesOf(old), this.#servicesOf(pod)];
    this.#enqueue(change.onlyMembership ? before.symmetricDifference(after) : before.union(after));
  }

  #enqueue(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#controller.add(key);
  }

  #servicesOf({ metadata: { namespace, labels = {} } }: Pod): Set<string> {
    const selecting = this.services
      .list({ namespace })
      .filter(
        (service) =>
          selectsPods(service) &&
          matchesLabels(toSelector({ matchLabels: service.spec.selector! }), labels),
      );
    return new Set(selecting.map(keyFor));
  }
}
