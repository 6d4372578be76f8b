// Delays the deletion of failed pods, so that a DaemonSet does not loop with a node that rejects
// its pods.
// Upstream: k8s.io/client-go/util/flowcontrol/backoff.go, as
// k8s.io/kubernetes/cmd/kube-controller-manager sets it up.
import type { Clock } from "homeostat/runtime";
import type { DaemonSet } from "homeostat/k8s/apps/v1";

const firstMs = 1000;
const maxMs = 15 * 60_000;

/** Back-off by set, generation and node. */
export class FailedPods {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tries = new Map<string, { readonly waitMs: number; readonly at: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Milliseconds until the failed pods of a node may be deleted; 0 if now, which doubles the next
   * delay.
   */
  next({ metadata, status }: DaemonSet, node: string): number {
    const now = this.#clock.monotonic();
    this.#forget(now);
    const key = `${metadata.uid}/${status.observedGeneration ?? 0}/${node}`;
    const last = this.#tries.get(key);
    if (last && now - last.at < last.waitMs) return last.waitMs;
    this.#tries.set(key, { waitMs: last ? Math.min(2 * last.waitMs, maxMs) : firstMs, at: now });
    return 0;
  }

  /** Resets back-off that has been idle for long enough. */
  #forget(now: number): void {
    for (const [key, { at }] of this.#tries) if (now - at > 2 * maxMs) this.#tries.delete(key);
  }
}
