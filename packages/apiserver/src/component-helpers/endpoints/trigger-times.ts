// Tracks when pods and services last changed, which tells what caused a change of endpoints.
// Upstream: k8s.io/endpointslice/util/trigger_time_tracker.go.
import type { ApiObject } from "../meta/api-object.ts";
import type { Pod } from "homeostat/k8s/core/v1";

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** The trigger times of services, by their keys. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /**
   * The trigger time to publish, as in the objects; undefined if none is new. To be called once for
   * each sync of the service.
   */
  next(key: string, service: ApiObject, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = service.metadata.creationTimestamp;
    const times = new Map(
      pods
        .flatMap((pod) => [[pod.metadata.name, readyTime(pod)] as const])
        .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
    );
    this.#seen.set(key, { service: created, pods: times });
    if (!before) return created;
    const changed = [...times]
      .filter(([name, time]) => time > (before.pods.get(name) ?? ""))
      .map(([, time]) => time);
    if (created > before.service) changed.push(created);
    return changed.toSorted()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** When the readiness of the pod last changed. Times have one format and compare as text. */
function readyTime({ status }: Pod): string | undefined {
  return status.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? undefined;
}
