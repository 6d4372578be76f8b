// Follows services and pods for the controllers of endpoints: a key is the service's.
// Upstream: k8s.io/endpointslice/util/controller_utils.go (GetServicesToUpdate).
import { matchesLabels } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { toSelector } from "../../component-helpers/workloads/controller-ref-manager.ts";
import type { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import {
  keyFor,
  podKind,
  type WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";
import { selectsPods, type Service, serviceKind, type ServingPod } from "./service-objects.ts";
import { podChange } from "./serving-pods.ts";

/** Services and their pods. */
export class ServiceWatch {
  readonly services: Informer<WorkloadKind<Service>>;
  readonly #pods: Informer<WorkloadKind<ServingPod>>;
  readonly #controller: KeyedController;

  constructor(controller: KeyedController) {
    this.#controller = controller;
    this.services = controller.acquire(serviceKind);
    this.#pods = controller.acquire(podKind as WorkloadKind<any> as WorkloadKind<ServingPod>);
    const wake = ({ key }: CachedObject): void => controller.add(key);
    controller.follow(this.services, {
      added: wake,
      updated: (_, service) => wake(service),
      deleted: wake,
    });
    const wakeAll = (pod: CachedObject<ServingPod>): void =>
      this.#wake(this.#servicesOf(pod.read()));
    controller.follow(this.#pods, {
      added: wakeAll,
      updated: (old, pod) => this.#podChanged(old.read(), pod.read()),
      deleted: wakeAll,
    });
  }

  /** The pods that a service selects. */
  podsOf({ metadata: { namespace }, spec: { selector = {} } }: Service): readonly ServingPod[] {
    const requirements = toSelector({ matchLabels: selector }) ?? [];
    return this.#pods
      .list({ namespace })
      .filter(({ metadata }) => matchesLabels(requirements, metadata.labels ?? {}));
  }

  #podChanged(old: ServingPod, pod: ServingPod): void {
    const change = podChange(old, pod);
    if (!change) return;
    const [before, after] = [this.#servicesOf(old), this.#servicesOf(pod)];
    this.#wake(change.onlyMembership ? before.symmetricDifference(after) : before.union(after));
  }

  #wake(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#controller.add(key);
  }

  #servicesOf({ metadata: { namespace, labels = {} } }: ServingPod): Set<string> {
    const selecting = this.services
      .list({ namespace })
      .filter(
        (service) =>
          selectsPods(service) &&
          matchesLabels(toSelector({ matchLabels: service.spec.selector! }) ?? [], labels),
      );
    return new Set(selecting.map(keyFor));
  }
}
