// The Lease by which a listening server announces itself: renewed every ten seconds, deleted when
// the server stops. Once an hour the controller deletes expired Leases of other servers.
// Upstream: k8s.io/component-helpers/apimachinery/lease/controller.go,
// k8s.io/kubernetes/pkg/controlplane/apiserver/server.go,
// pkg/controlplane/controller/apiserverleasegc, k8s.io/apiserver/pkg/server/config.go
// (APIServerID).
import type { Decoded } from "homeostat/api";
import type { Lease } from "homeostat/k8s/coordination/v1";
import { type Runtime, type Timer, unitInterval, uuid } from "homeostat/runtime";
import type { LoopbackClient } from "./loopback-client.ts";
import { hostAndPort, type ServerAddress } from "../apimachinery/server-address.ts";
import { serverId } from "./apiserver-identity.ts";

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const label = "apiserver.kubernetes.io/identity";
const component = "kube-apiserver";
/** Renewals are late by up to the fraction `jitter`: servers started together drift apart. */
const times = {
  durationSeconds: 3600,
  renewMs: 10_000,
  jitter: 0.04,
  collectMs: 3_600_000,
} as const;

export interface IdentityLeaseOptions {
  readonly loopback: LoopbackClient;
  readonly runtime: Runtime;
  readonly address: ServerAddress;
}

/** The controller. Starts at once, does not wait for its first write. */
export class IdentityLeaseController {
  readonly #options: IdentityLeaseOptions;
  readonly #name: string;
  readonly #holder: string;
  #latest: Decoded<Lease> | undefined;
  #isStopped = false;
  #running: Promise<unknown> = Promise.resolve();
  #renewal: Timer | undefined;
  #collection: Timer | undefined;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
    this.#name = serverId(options.address.hostname, component);
    this.#holder = `${this.#name}_${uuid(options.runtime.entropy)}`;
    this.#renewal = this.#later(0, async () => {
      // Replaces the Lease of a server that ran here before.
      await options.loopback("DELETE", `${leases}/${this.#name}`);
      await this.#renew();
    });
    this.#collection = this.#later(0, () => this.#collectExpired());
  }

  /** Stops and deletes the Lease. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#renewal?.cancel();
    this.#collection?.cancel();
    await this.#running;
    await this.#options.loopback("DELETE", `${leases}/${this.#name}`).catch(() => undefined);
  }

  /** Runs `work` after the work that runs already. A failure waits for the next interval. */
  #later(afterMs: number, work: () => Promise<void>): Timer {
    return this.#options.runtime.clock.timer(afterMs, () => {
      this.#running = this.#running
        .then(async () => (this.#isStopped ? undefined : work()))
        .catch(() => undefined);
    });
  }

  async #renew(): Promise<void> {
    const { loopback, runtime } = this.#options;
    this.#renewal = this.#later(
      times.renewMs * (1 + times.jitter * unitInterval(runtime.entropy)),
      () => this.#renew(),
    );
    const renewed =
      this.#latest && (await loopback("PUT", `${leases}/${this.#name}`, this.#lease(this.#latest)));
    if (renewed && renewed.status < 300)
      return void (this.#latest = renewed.object as Decoded<Lease>);
    this.#latest = undefined;
    const created = await loopback("POST", leases, this.#lease());
    if (created.status < 300) return void (this.#latest = created.object as Decoded<Lease>);
    // Another client changed it: the next renewal starts from its present state.
    const found = await loopback("GET", `${leases}/${this.#name}`);
    if (found.status < 300) this.#latest = found.object as Decoded<Lease>;
  }

  #lease(before: Decoded<Lease> = {}): Decoded<Lease> {
    const { runtime, address } = this.#options;
    return {
      ...before,
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        ...before.metadata,
        name: this.#name,
        namespace: "kube-system",
        labels: {
          ...before.metadata?.labels,
          [label]: component,
          "kubernetes.io/hostname": address.hostname,
        },
        annotations: {
          ...before.metadata?.annotations,
          "kubernetes.io/peer-advertise-address": hostAndPort(address),
        },
      },
      spec: {
        ...before.spec,
        holderIdentity: this.#holder,
        leaseDurationSeconds: times.durationSeconds,
        renewTime: microTime(runtime.clock.now()),
      },
    };
  }

  async #collectExpired(): Promise<void> {
    const { loopback, runtime } = this.#options;
    this.#collection = this.#later(times.collectMs, () => this.#collectExpired());
    const selector = encodeURIComponent(`${label}=${component}`);
    const { object } = await loopback("GET", `${leases}?labelSelector=${selector}`);
    const items = Array.isArray(object["items"]) ? (object["items"] as Decoded<Lease>[]) : [];
    for (const lease of items)
      if (hasExpired(lease, runtime.clock.now()))
        await loopback("DELETE", `${leases}/${lease.metadata?.name ?? ""}`);
  }
}

/** Whether a Lease is over. One without a renewal or a duration counts as over. */
export function hasExpired({ spec }: Decoded<Lease>, nowMs: number): boolean {
  const renewedMs = Date.parse(spec?.renewTime ?? "");
  const seconds = spec?.leaseDurationSeconds ?? undefined;
  return Number.isNaN(renewedMs) || seconds === undefined || renewedMs + seconds * 1000 < nowMs;
}

const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");
